/** Low and high end of what the score may be on other cases of the same kind. */
export type Interval = readonly [number, number];

const rounds = 2_000;
const seed = 20_260;

/**
 * A 95 % bootstrap interval: the score of as many cases, drawn with replacement, 2,000 times. The draws come from a fixed
 * seed, so the same cases give the same interval.
 */
export function bootstrap<Case>(cases: readonly Case[], score: (drawn: readonly Case[]) => number): Interval {
  if (cases.length === 0) return [0, 0];
  const random = generator(seed);
  const scores = new Float64Array(rounds);
  const drawn: Case[] = [];
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < cases.length; i++) drawn[i] = cases[Math.floor(random() * cases.length)] as Case;
    scores[round] = score(drawn);
  }
  scores.sort();
  const at = (share: number) => Number((scores[Math.floor(share * (rounds - 1))] as number).toFixed(4));
  return [at(0.025), at(0.975)];
}

/** Mulberry32: small, and the same on every machine. */
function generator(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
