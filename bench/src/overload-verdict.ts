import type { OriginAnswer, Phase } from './site/overloaded-task.ts';
import { requestsWithin } from './site/token-bucket.ts';

/** What an overloaded origin's log says about the crawlers that asked it. */
export interface OverloadVerdict {
  readonly used: number;
  /** The same for each phase. */
  readonly usedByPhase: readonly number[];
  readonly refused: number;
  /** From the start of the last phase to the first window that used enough of its capacity; undefined: there was none. */
  readonly backSeconds: number | undefined;
}

/** How many were served and refused in each span of so many seconds: the course of it, for people. */
export function courseOf(log: readonly OriginAnswer[], phases: readonly Phase[], spanSeconds: number) {
  const seconds = phases.reduce((sum, phase) => sum + phase.seconds, 0);
  const spans = Array.from({ length: Math.ceil(seconds / spanSeconds) }, () => ({ served: 0, refused: 0 }));
  for (const { atMs, served } of log) {
    const span = spans[Math.floor(atMs / 1000 / spanSeconds)];
    if (span) span[served ? 'served' : 'refused'] += 1;
  }
  return spans;
}

/** The rate that counts as back is held for so long. */
const windowMs = 5_000;
const stepMs = 500;
const backShare = 0.85;

/** Judges the time of the phases, from the first request on; what came later does not count. */
export function judgeOverload(log: readonly OriginAnswer[], phases: readonly Phase[]): OverloadVerdict {
  const ends = phases.map(
    (_, at) => 1000 * phases.slice(0, at + 1).reduce((sum, one) => sum + one.seconds, 0),
  );
  const endMs = ends.at(-1) ?? 0;
  const counted = log.filter(({ atMs }) => atMs < endMs);
  const servedAt = counted.filter(({ served }) => served).map(({ atMs }) => atMs);
  const used = (fromMs: number, toMs: number) =>
    servedAt.filter((at) => at >= fromMs && at < toMs).length / requestsWithin(phases, fromMs, toMs);
  const lastStart = ends.at(-2) ?? 0;
  let backSeconds: number | undefined;
  for (let at = lastStart; at + windowMs <= endMs && backSeconds === undefined; at += stepMs)
    if (used(at, at + windowMs) >= backShare) backSeconds = (at - lastStart) / 1000;
  return {
    used: used(0, endMs),
    usedByPhase: phases.map((_, at) => used(ends[at - 1] ?? 0, ends[at] ?? 0)),
    refused: counted.length === 0 ? 0 : 1 - servedAt.length / counted.length,
    backSeconds,
  };
}
