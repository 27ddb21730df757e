/** Shorter calls say more of the garbage collector than of themselves. */
const measurableMs = 8;
/** Four times the input takes four times as long, some more for memory; quadratic work takes sixteen times. */
const mostGrowth = 9;
const factor = 4;
const looks = 5;

export interface Growth {
  readonly size: number;
  readonly ms: number;
  /** How many times longer the input of four times the size took. */
  readonly times: number;
}

/**
 * How the time of a call grows with its input: from the smallest size that can be measured to four times that. It
 * compares a machine with itself and looks again before it calls something slow.
 */
export function growthOf<T>(inputOf: (size: number) => T, call: (input: T) => unknown, most: number): Growth {
  let growth: Growth = { size: most, ms: 0, times: 0 };
  for (let look = 0; look < looks; look++) {
    const seen = measure(inputOf, call, most, look === 0 ? 1 : 3);
    if (look === 0 || seen.times < growth.times) growth = seen;
    if (growth.times <= mostGrowth) break;
  }
  return growth;
}

export const isLinear = ({ times }: Growth): boolean => times <= mostGrowth;

/** How many times longer a call takes for one input than for another of its length; looked at again while it is many. */
export function timesSlower<T>(
  call: (input: T) => unknown,
  input: T,
  ordinary: T,
  acceptable: number,
): number {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < looks && least > acceptable; look++)
    least = Math.min(least, best(() => call(input), 1 + look) / best(() => call(ordinary), 3));
  return least;
}

function measure<T>(
  inputOf: (size: number) => T,
  call: (input: T) => unknown,
  most: number,
  runs: number,
): Growth {
  for (let size = 4_000; size * factor <= most; size *= 2) {
    const input = inputOf(size);
    const ms = best(() => call(input), runs);
    if (ms < measurableMs) continue;
    const larger = inputOf(size * factor);
    return { size, ms, times: best(() => call(larger), runs) / ms };
  }
  return { size: most, ms: 0, times: 0 };
}

/** In time of the processor: what else the machine does counts for nothing. */
function best(call: () => unknown, runs: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const started = process.cpuUsage();
    call();
    const { user, system } = process.cpuUsage(started);
    least = Math.min(least, (user + system) / 1000);
  }
  return Math.max(least, 0.001);
}
