import { setTimeout as delay } from 'node:timers/promises';
import { Random } from '../random.ts';

const misfortunes = ['runner', 'worker', 'drain', 'pause', 'backends', 'database'] as const;
export type MisfortuneKind = (typeof misfortunes)[number];

export interface Misfortune {
  readonly kind: MisfortuneKind;
  readonly second: number;
}

/** How often each comes, beside the restart of the database every so often. */
const weights: readonly (readonly [MisfortuneKind, number])[] = [
  ['runner', 0.45],
  ['pause', 0.25],
  ['worker', 0.12],
  ['drain', 0.1],
  ['backends', 0.08],
];
const databaseEverySeconds = 150;

/** What befalls a soak, and when: it follows from the seed alone. */
export function planMisfortunes(seed: number, seconds: number): Misfortune[] {
  const random = new Random(seed, 'soak');
  const plan: Misfortune[] = [];
  for (let second = 10; second < seconds; second += random.between(4, 10)) {
    let chance = random.next();
    const found = weights.find(([, weight]) => {
      chance -= weight;
      return chance < 0;
    });
    plan.push({ kind: found?.[0] ?? 'runner', second });
  }
  for (let second = databaseEverySeconds / 2; second < seconds; second += databaseEverySeconds)
    plan.push({ kind: 'database', second });
  return plan.toSorted((one, other) => one.second - other.second);
}

/** Lets each happen at its time, one after the other. */
export async function befall(
  plan: readonly Misfortune[],
  happen: (kind: MisfortuneKind) => Promise<void>,
): Promise<void> {
  const began = performance.now();
  for (const { kind, second } of plan) {
    await delay(Math.max(0, began + second * 1000 - performance.now()));
    await happen(kind);
  }
}
