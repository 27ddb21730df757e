import { HoldfastError, type Intake, type IntakeRequest, type NewPricePoint } from '@holdfast/contract';
import { Command } from 'commander';
import type { Pool } from 'pg';
import { asCalled } from '../../base/process/installation.ts';
import { findWait } from '../../ops/jobs/find-waits.ts';
import { enqueueJobs } from '../../queue/jobs/enqueue-jobs.ts';
import { Notifier } from '../../queue/jobs/notifications.ts';
import { createIntake, deleteIntake } from '../../shop/intakes/edit-intakes.ts';
import { enqueueIntakes } from '../../shop/intakes/enqueue-intakes.ts';
import { findIntake, listIntakes } from '../../shop/intakes/find-intakes.ts';
import { importIntakes, intakesFromCsv } from '../../shop/intakes/import-intakes.ts';
import { importPoints, pointsFromCsv } from '../../shop/points/import-points.ts';
import { findPriceSummary } from '../../shop/valuations/find-valuations.ts';
import { formatWait } from '../format-values.ts';
import { addListOptions, checkLimit, wholePage } from '../list-options.ts';
import { readJson, readText, wholeNumber } from '../option-values.ts';
import { actOnEach } from '../report-error.ts';
import { withDatabase } from '../with-database.ts';
import { printIntake, printIntakes } from './show-intakes.ts';

interface JsonOption {
  json?: true;
}

const examples = `
An intake is an item to be priced. Sources with an adapter are asked for it; their answers become price points, and the
price points a valuation.

  holdfast intakes create "Morgan Dollar" --attributes '{"year": 1881, "mintmark": "S"}'
  holdfast intakes import coins.csv                      other columns become attributes
  holdfast sources set ebay --file examples/adapters/ebay-browse.json
  holdfast intakes enqueue ID                            one job per source; a worker runs them
  holdfast intakes show ID                               its prices and its valuation

To import prices yourself, use a source with the adapter import, which sends no requests:

  holdfast sources set hand --adapter import
  holdfast intakes add-prices ID sales.csv --source hand

See docs/collection.md.`;

const create = new Command('create')
  .description('create an intake')
  .argument('[title]', 'title, as a listing would have it')
  .option('--attributes <json>', 'what distinguishes it, such as {"year": 1881}')
  .option('--currency <code>', 'currency of its valuation')
  .option('--tag <name...>', 'tags')
  .option('--reference <name>', 'your own reference')
  .option('--user <id>', 'owner', 'local')
  .option('--json', 'print JSON')
  .action((title: string | undefined, options, command: Command) => {
    const request = {
      ...(title !== undefined && { title }),
      ...(options.attributes !== undefined && { attributes: readJson(options.attributes, '--attributes') }),
      ...(options.currency !== undefined && { currency: options.currency }),
      ...(options.tag !== undefined && { tags: options.tag }),
      ...(options.reference !== undefined && { reference: options.reference }),
    } as IntakeRequest;
    return withDatabase(command, async ({ database }) => {
      const intake = await createIntake(database.pool, options.user, request);
      console.log(options.json ? JSON.stringify(intake) : `intake ${intake.id}`);
    });
  });

const importMany = new Command('import')
  .description('import intakes from a CSV or JSON file; a known reference is updated')
  .argument('<file>', 'CSV with a header row, or a JSON list of intakes')
  .option('--user <id>', 'owner', 'local')
  .option('--json', 'print JSON')
  .action(async (file: string, { user, json }: JsonOption & { user: string }, command: Command) => {
    const text = await readText(file);
    const requests = isJson(file) ? (readJson(text, file) as IntakeRequest[]) : intakesFromCsv(text);
    if (!Array.isArray(requests)) throw new HoldfastError('bad_request', `${file} must be a list of intakes`);
    return withDatabase(command, async ({ database }) => {
      const imported = await importIntakes(database.pool, user, requests);
      if (json) console.log(JSON.stringify(imported));
      else console.log(`${imported.created} intakes added, ${imported.changed} changed`);
    });
  });

const list = addListOptions(
  new Command('list')
    .description('list intakes, newest first')
    .option('--tag <name>', 'only with this tag')
    .option('--search <text>', 'part of the title, ignoring case')
    .option('--user <id>', 'only of this owner'),
  'intake',
)
  .option('--json', 'print JSON')
  .action(({ json, user, limit, ...filter }, command: Command) =>
    withDatabase(command, async ({ database }) => {
      checkLimit(limit);
      const { rows, next } = await wholePage({ limit, after: filter.after }, (range) =>
        listIntakes(database.pool, { ...filter, owner: user, ...range }),
      );
      if (json) console.log(JSON.stringify(rows));
      else printIntakes(rows, next);
    }),
  );

const show = new Command('show')
  .description('show an intake with its prices and its valuation')
  .argument('<id>', 'intake id')
  .option('--json', 'print JSON')
  .action((id: string, { json }: JsonOption, command: Command) =>
    withDatabase(command, async ({ database }) => {
      const intake = await findIntake(database.pool, id);
      const summary = await findPriceSummary(database.pool, id);
      if (json) console.log(JSON.stringify({ ...intake, ...summary }));
      else printIntake(intake, summary);
    }),
  );

const enqueue = new Command('enqueue')
  .description('collect prices for intakes: one job per source')
  .argument('[id...]', 'intake ids')
  .option('--tag <name>', 'all intakes with this tag')
  .option('--source <id...>', 'only these sources')
  .option('--stagger-seconds <number>', 'delay between the starts of two jobs', wholeNumber, 1)
  .option('--json', 'print JSON')
  .action((ids: string[], { json, tag, source, staggerSeconds }, command: Command) =>
    withDatabase(command, async ({ database: { pool }, actor }) => {
      if (ids.length > 0 === (tag !== undefined))
        throw new HoldfastError('bad_request', 'name intakes, or choose all with a tag: --tag NAME');
      const intakes =
        tag === undefined
          ? await Promise.all(ids.map((id) => findIntake(pool, id)))
          : await intakesOfTag(pool, tag);
      const made = await enqueueIntakes(pool, intakes, { sources: source, staggerSeconds }, (requests) =>
        enqueueJobs(pool, requests, actor),
      );
      await new Notifier(pool).notify('work');
      if (json) console.log(JSON.stringify(made));
      else
        for (const { source_id, outcome, job } of made)
          console.log(`job ${job.id}: ${source_id}${outcome === 'created' ? '' : ' (already live)'}`);
      const [first] = made;
      const waiting = first && (await findWait(pool, first.job));
      if (waiting?.reason === 'worker') console.error(asCalled(formatWait(waiting)));
    }),
  );

const addPrices = new Command('add-prices')
  .description('import prices of an intake from a CSV or JSON file')
  .argument('<id>', 'intake id')
  .argument(
    '<file>',
    'file with the columns price, currency, price_type, title, url, date, external_id, match_strength',
  )
  .requiredOption('--source <id>', 'source with the adapter import')
  .option('--json', 'print JSON')
  .action(async (id: string, file: string, { json, source }: JsonOption & { source: string }, command) => {
    const text = await readText(file);
    const points = isJson(file) ? (readJson(text, file) as NewPricePoint[]) : pointsFromCsv(text);
    if (!Array.isArray(points)) throw new HoldfastError('bad_request', `${file} must be a list of prices`);
    return withDatabase(command, async ({ database, actor }) => {
      const stored = await importPoints(database.pool, { intakeId: id, sourceId: source, points, actor });
      if (json) console.log(JSON.stringify(stored));
      else
        console.log(
          `${stored.added} prices added, ${stored.strengthened} with a stronger match, ${stored.kept} already known`,
        );
    });
  });

const remove = new Command('delete')
  .description('delete intakes with their prices and valuations')
  .argument('<id...>', 'intake ids')
  .action((ids: string[], _options: object, command: Command) =>
    withDatabase(command, async ({ database, actor }) => {
      await actOnEach(ids, false, async (id) => ({
        changed: await deleteIntake(database.pool, id, actor),
        message: `intake ${id}: deleted`,
      }));
    }),
  );

const isJson = (file: string) => file.toLowerCase().endsWith('.json');

async function intakesOfTag(pool: Pool, tag: string): Promise<Intake[]> {
  const intakes: Intake[] = [];
  let after: string | undefined;
  do {
    const { rows, next } = await listIntakes(pool, { tag, after, limit: 1000 });
    intakes.push(...rows);
    after = next ?? undefined;
  } while (after !== undefined);
  return intakes;
}

export const intakesCommand = new Command('intakes')
  .description('collect prices of items and value them')
  .addHelpText('after', examples);
for (const command of [create, importMany, list, show, enqueue, addPrices, remove])
  intakesCommand.addCommand(command);
