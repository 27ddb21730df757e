import { setImmediate as nextTurn } from 'node:timers/promises';
import { HoldfastError } from '@holdfast/contract';
import { LruMap } from '../../base/collections/lru-map.ts';
import { parseSelector } from '../html/selectors/selector.ts';
import { checkList, patternSize } from './compile-pattern.ts';

type Options = { readonly [name: string]: unknown };

/** Sizes of known patterns: the jobs of one site share them. */
const sizes = new LruMap<number>(5_000);
/** Instructions that one request may compile, about a second of work. */
const maxWork = 800_000;
/** How long the event loop may be blocked. */
const sliceMs = 10;

/** Refuses invalid patterns with the request, instead of much later in a runner. */
export function checkPatterns(options: Options, within: string): void {
  check(options, within, { left: maxWork });
}

/** The same for many jobs at once, in slices and up to a total. */
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
  for (const name of ['include_selectors', 'exclude_selectors']) {
    const selectors = options[name];
    if (!Array.isArray(selectors)) continue;
    for (const selector of selectors) checkSelector(selector, `${within}.${name}`);
  }
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

function checkSelector(selector: unknown, field: string): void {
  if (typeof selector !== 'string') return;
  try {
    parseSelector(selector);
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
