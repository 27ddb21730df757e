// npm run bench -- report   Makes docs/performance.md and its charts from bench/results.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { benchmarks } from '../../benchmarks.mjs';
import type { Spread } from '../statistics.ts';
import { type Bar, barChart } from './bar-chart.ts';
import { type Result, resultsFolder } from './save-result.ts';

const docs = new URL('../../../docs/', import.meta.url);
const images = new URL('images/', docs);

/** Charts of the benchmarks that have contenders: what is drawn, and where it stands among the figures. */
const charts: Readonly<Record<string, { readonly unit: string; readonly rate: string }>> = {
  B1: { unit: 'jobs a second, claim to completion', rate: 'jobs_per_second' },
  B4: { unit: 'pages a second', rate: 'pages_per_second' },
  B5: { unit: 'pages a second, with the main content as markdown', rate: 'pages_per_second' },
  B8: { unit: 'jobs a second, pulled and submitted over HTTP', rate: 'jobs_per_second' },
};

const results = readdirSync(resultsFolder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(new URL(name, resultsFolder), 'utf8')) as Result);
const inOrder = benchmarks.flatMap(({ id }) => results.find((result) => result.id === id) ?? []);
mkdirSync(images, { recursive: true });
writeFileSync(new URL('performance.md', docs), page(inOrder));
console.log(`docs/performance.md tells of ${inOrder.map(({ id }) => id).join(', ')}.`);

function page(all: readonly Result[]): string {
  return `# Performance

Made by \`npm run bench -- report\` from the newest outcome of each benchmark in bench/results. Only ratios within one run count:
absolute figures differ from machine to machine, and on one machine from minute to minute. [bench/README.md](../bench/README.md)
says what each benchmark does, how it is kept fair, and where the bars come from.

| | benchmark | floor | goal |
| --- | --- | --- | --- |
${benchmarks
  .filter(({ id }) => id.startsWith('B'))
  .map(({ id, title }) =>
    verdict(
      id,
      title,
      all.find((result) => result.id === id),
    ),
  )
  .join('\n')}

${all.map(section).join('\n')}`;
}

function verdict(id: string, title: string, result: Result | undefined): string {
  if (!result)
    return `| ${id} | ${title} | not in these runs: [bench](../bench/README.md#where-it-stands) | |`;
  const goal = result.figures.goal_reached ? 'reached' : 'missed';
  return `| [${id}](#${id.toLowerCase()}) | ${title} | ${result.pass ? 'held' : '**missed**'} | ${goal} |`;
}

function section(result: Result): string {
  const { id, title, date, machine, node, postgres, figures, table } = result;
  const bars = 'floor' in figures ? `\nFloor: ${bar(figures.floor)}. Goal: ${bar(figures.goal)}.\n` : '';
  return `## ${id}

${title[0]?.toUpperCase()}${title.slice(1)}.
${bars}
${markdown(table)}
${chart(result)}
${date}, ${machine.cores} cores (${machine.processor}), ${machine.memory_gb} GB, Node ${node}, PostgreSQL ${postgres}.
`;
}

/** A bar is a number, or several with their names. */
function bar(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name.replaceAll('_', ' ')} ${one}`)
    .join(', ');
}

function markdown({ header, rows }: Result['table']): string {
  const line = (cells: readonly string[]) => `| ${header.map((_, at) => cells[at] ?? '').join(' | ')} |`;
  return [line(header), line(header.map((_, at) => (at === 0 ? '---' : '---:'))), ...rows.map(line)].join(
    '\n',
  );
}

function chart({ id, figures }: Result): string {
  const drawn = charts[id];
  if (!drawn) return '';
  const bars: Bar[] = Object.entries(figures).flatMap(([name, own]) => {
    const value = (own as Record<string, Spread> | null)?.[drawn.rate];
    return value ? [{ label: name.replaceAll('_', ' '), value, ours: name === 'holdfast' }] : [];
  });
  const file = `performance-${id.toLowerCase()}.svg`;
  writeFileSync(
    new URL(file, images),
    barChart(drawn.unit, bars, (value) => Math.round(value).toLocaleString('en-US')),
  );
  return `\n![${id}: ${drawn.unit}](images/${file})\n`;
}
