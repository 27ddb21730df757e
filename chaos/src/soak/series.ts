import type { Bound } from './growth.ts';

export interface Series {
  readonly title: string;
  /** Series of one panel share its axis. */
  readonly panel: string;
  readonly unit: string;
  /** Without one, it is drawn and not judged. */
  readonly bound?: Bound;
  /** What is judged is how many times this other series it is. */
  readonly relativeTo?: 'yardstick';
}

const memory: Bound = { percent: 10, least: 8 };
const stored: Bound = { percent: 10, least: 1 };
/** A machine that gets busier makes everything slower, an empty question to the database as well: that is the yardstick. */
const latency = { bound: { percent: 50, least: 1 }, relativeTo: 'yardstick' } as const;

/** What is measured every few seconds. */
export const series = {
  api: { title: 'API', panel: 'Memory of our processes', unit: 'MB', bound: memory },
  supervisor: {
    title: 'supervisor that is never killed',
    panel: 'Memory of our processes',
    unit: 'MB',
    bound: memory,
  },
  runner: { title: 'largest runner', panel: 'Memory of our processes', unit: 'MB', bound: memory },
  postgres: { title: 'PostgreSQL, all processes', panel: 'Memory of PostgreSQL', unit: 'MB', bound: memory },
  connections: {
    title: 'connections',
    panel: 'Connections',
    unit: '',
    bound: { percent: 10, least: 3 },
  },
  dead: {
    title: 'dead rows',
    panel: 'Dead rows',
    unit: '',
    bound: { percent: 50, least: 5_000 },
  },
  tables: { title: 'tables', panel: 'Size of tables and indexes', unit: 'MB', bound: stored },
  indexes: { title: 'indexes', panel: 'Size of tables and indexes', unit: 'MB', bound: stored },
  claim: { title: 'claim', panel: 'Latency', unit: 'ms', ...latency },
  checkpoint: { title: 'checkpoint', panel: 'Latency', unit: 'ms', ...latency },
  answer: { title: 'answer of the API', panel: 'Latency', unit: 'ms', ...latency },
  yardstick: { title: 'SELECT 1', panel: 'Latency', unit: 'ms' },
  requests: { title: 'requests a second at the sites', panel: 'Throughput', unit: '/s' },
} as const satisfies Record<string, Series>;

export type SeriesName = keyof typeof series;
export const seriesNames = Object.keys(series) as SeriesName[];
