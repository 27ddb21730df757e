import type { Intake } from '@holdfast/contract';
import type { PriceSummary } from '../../shop/valuations/find-valuations.ts';
import { formatAgo } from '../format-values.ts';
import { printMore } from '../list-options.ts';
import { type Field, printFields, printTable } from '../print-table.ts';

export function printIntakes(intakes: readonly Intake[], next: string | null): void {
  if (intakes.length === 0) {
    console.log('No matching intakes.');
    return;
  }
  printTable(
    ['ID', 'TITLE', 'ATTRIBUTES', 'TAGS', 'CREATED'],
    intakes.map(({ id, title, attributes, tags, created_at }) => [
      id,
      (title ?? '').slice(0, 40),
      attributesText(attributes).slice(0, 60),
      tags.join(' '),
      formatAgo(created_at),
    ]),
  );
  printMore(next);
}

export function printIntake(intake: Intake, { valuation, not_valued, sources }: PriceSummary): void {
  const lines: Field[] = [
    ['intake', intake.id],
    ['title', intake.title],
    ['attributes', attributesText(intake.attributes)],
    ['reference', intake.reference],
    ['tags', intake.tags.join(' ')],
    ['created', intake.created_at.toISOString()],
  ];
  if (valuation) {
    const { currency, p10, p90, median, mean, confidence, comparables, sold, ask } = valuation;
    lines.push(
      ['worth', `${median} ${currency}, mean ${mean}, 80 % between ${p10} and ${p90}`],
      ['confidence', `${confidence} of 10, from ${comparables} prices (${sold} sold, ${ask} asking)`],
      ...valuation.reasons.map(({ points, text }): [string, string] => ['', `${signed(points)}  ${text}`]),
      ['left out', leftOut(valuation)],
    );
  } else lines.push(['worth', `unknown: ${not_valued}`]);
  printFields(lines);
  if (sources.length === 0) return;
  console.log();
  printTable(
    ['SOURCE', 'PRICES', 'LAST SEEN', 'LAST JOB', 'ERROR'],
    sources.map(({ source_id, points, last_seen, last_status, last_error }) => [
      source_id,
      points,
      last_seen ? formatAgo(last_seen) : 'never',
      last_status ?? '',
      last_error ?? '',
    ]),
  );
}

/** What a reason added to the confidence, which starts at 1, or took from it. */
function signed(points: number): string {
  return points > 0 ? `+${points}` : String(points).padStart(2);
}

function leftOut({ outliers, other_currencies, not_used }: NonNullable<PriceSummary['valuation']>): string {
  return [
    outliers > 0 && `${outliers} outliers`,
    other_currencies > 0 && `${other_currencies} in other currencies`,
    not_used > 0 && `${not_used} asking prices where sales decide, bids, or other items`,
  ]
    .filter((part) => part !== false)
    .join(', ');
}

function attributesText(attributes: Intake['attributes']): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
