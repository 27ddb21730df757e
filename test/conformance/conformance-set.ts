import type { Interval } from './bootstrap.ts';

/**
 * A set of cases written by others, read from the folder that CONFORMANCE_DATA names. Each file beside this one exports
 * one such set; run.mjs finds them by themselves.
 */
export interface ConformanceSet {
  /** The word in the report, and on the command line. */
  readonly name: string;
  /** `folder` is the root of the data. A file that is not there makes the set count as skipped. */
  run(folder: string): ConformanceResult | Promise<ConformanceResult>;
}

export interface ConformanceResult {
  /** Cases that came out as expected; left out where only a mean makes sense. */
  readonly passed?: number;
  readonly total: number;
  /** One number, or one for each field. */
  readonly f1?: number | Readonly<Record<string, number>>;
  /** The 95 % bootstrap interval of f1, over pages: low and high end, or both of each field. */
  readonly interval?: Interval | Readonly<Record<string, Interval>>;
  /** Of the documentation set: the measures of each generator. */
  readonly generators?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** One line for each case that did not, shown with --verbose. */
  readonly misses?: readonly string[];
}
