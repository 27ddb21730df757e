import { setTimeout as delay } from 'node:timers/promises';
import type { Stage } from './stage.ts';

const enough = 0.8;

/** Requests at the origins in windows of so many seconds: 10, shorter at a smaller scale. */
export class Throughput {
  readonly windowMs: number;
  readonly #stage: Stage;

  constructor(stage: Stage, windowSeconds = 10) {
    this.#stage = stage;
    this.windowMs = windowSeconds * 1000;
  }

  /** Waits for a window to go by, and counts it. */
  async measure(): Promise<number> {
    const from = performance.now();
    await delay(this.windowMs);
    return this.#stage.requestsBetween(from, from + this.windowMs);
  }

  /** Seconds from `since` until a window began that has four fifths of what it was; undefined: none did. */
  async back(before: number, since: number, withinSeconds: number): Promise<number | undefined> {
    const end = since + withinSeconds * 1000 + this.windowMs;
    for (let from = since; from + this.windowMs <= end; from += this.windowMs / 10) {
      await delay(Math.max(0, from + this.windowMs - performance.now()));
      if (this.#stage.requestsBetween(from, from + this.windowMs) >= enough * before)
        return Math.round((from - since) / 100) / 10;
    }
    return undefined;
  }
}
