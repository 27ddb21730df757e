/** A queue with one worker process, made to do what every other contender does. */
export interface Contender {
  /** Adds so many no-op jobs. */
  fill(jobs: number): Promise<void>;
  /** Works until so many jobs have been completed and the last completion is committed; answers with the time it took. */
  drain(jobs: number): Promise<number>;
  /** Throws unless exactly so many jobs have been completed since the database was made. */
  verify(jobs: number): Promise<void>;
  close(): Promise<void>;
}

/** What of a contender's settings is tried, to take its best. */
export type Setting = Readonly<Record<string, number>>;

export interface ContenderModule {
  readonly settings: readonly Setting[];
  open(url: string, setting: Setting): Promise<Contender>;
}

/** The work's description, alike for all. */
export const payload = (number: number) => ({ url: `https://example.com/page/${number}` });

/** Splits so many jobs into batches of their numbers. */
export function* batches(jobs: number, size: number): Generator<number[]> {
  for (let first = 0; first < jobs; first += size) {
    yield Array.from({ length: Math.min(size, jobs - first) }, (_, index) => first + index);
  }
}
