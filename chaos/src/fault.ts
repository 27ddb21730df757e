import type { PrivateServer } from './postgres/private-server.ts';
import type { Random } from './random.ts';

export interface Timings {
  readonly leaseSeconds: number;
  readonly heartbeatSeconds: number;
  readonly sweepSeconds: number;
}

export type Figures = Record<string, number | string | boolean>;

/** What a fault has to work with. */
export interface ChaosRun {
  readonly root: string;
  readonly seed: number;
  readonly random: Random;
  /** 1: the sizes of the fault matrix. */
  readonly scale: number;
  readonly timings: Timings;
  readonly server: PrivateServer;
  /** Tells whoever watches where it stands. */
  readonly say: (text: string) => void;
  /** Writes down what must not be; the fault then counts as failed. */
  readonly blame: (problem: string) => void;
}

export interface Fault {
  readonly id: string;
  readonly title: string;
  readonly run: (run: ChaosRun) => Promise<Figures>;
}

/** Whether times are judged: not in the small cut that runs with the other tests, on machines that may be busy. */
export function judgesTimes({ scale }: ChaosRun): boolean {
  return scale >= 0.1;
}

/** So many, at this scale; never less than `least`. */
export function scaled({ scale }: ChaosRun, full: number, least = 1): number {
  return Math.max(least, Math.round(full * scale));
}
