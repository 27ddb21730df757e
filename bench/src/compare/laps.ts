import type { BenchServer } from '../bench-server.ts';

/** What one lap of one state of the product has shown. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly better: 'more' | 'less';
  /** Shown beside the others, and no ground for a verdict. */
  readonly aside?: boolean;
}

type Lap = () => Promise<readonly Figure[]>;

/** Prepares what the product's own part of a benchmark needs, hands over how to do a lap of it, and clears up. */
export type WithLaps = (server: BenchServer, use: (lap: Lap) => Promise<void>) => Promise<void>;
