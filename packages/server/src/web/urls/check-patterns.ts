import { setImmediate as nextTurn } from 'node:timers/promises';
import { HoldfastError } from '@holdfast/contract';
import { LruMap } from '../../base/collections/lru-map.ts';
import { checkList, patternSize } from './compile-pattern.ts';

type Options = { readonly [name: string]: unknown };

/** Sizes of patterns that were compiled before: the jobs of one site have the same ones. */
const sizes = new LruMap<number>(5_000);
/** Instructions that one request may have compiled, about a second of work. */
const maxWork = 800_000;
/** Others wait no longer for the event loop. */
const sliceMs = 10;

/** Refuses patterns that no crawl could use, where they are given: a runner would find out much later. */
export function checkPatterns(options: Options, within: string): void {
  check(options, within, { left: maxWork });
}

/** Of many jobs at once: in slices, and up to a total. */
export async function checkAllPatterns(all: readonly Options[], within: string): Promise<void> {
  const work = { left: maxWork };
  let sliceEnds = performance.now() + sliceMs;
  for (const options of all) {
    check(options, within, work);
    if (performance.now() < sliceEnds) continue;
    await nextTurn();
    sliceEnds = performance.now() + sliceMs;
  }
}

function check(options: Options, within: string, work: { left: number }): void {
  const sizeOf = (pattern: string) =>
    sizes.getOrAdd(pattern, () => {
      const size = patternSize(pattern);
      work.left -= size;
      if (work.left >= 0) return size;
      throw new HoldfastError(
        'bad_request',
        'the patterns of all jobs of this request are too complex together',
        {
          hint: 'Send fewer jobs in a request.',
        },
      );
    });
  for (const name of ['include', 'exclude']) {
    const patterns = options[name];
    if (!Array.isArray(patterns)) continue;
    const field = `${within}.${name}`;
    try {
      checkList(patterns, field, sizeOf);
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      const { detail: message = error.message, hint } = error;
      throw new HoldfastError('bad_request', `${field}: ${message}`, {
        cause: error,
        hint,
        details: [{ field, message }],
      });
    }
  }
}
