import type { ContentProof, TrapDetector } from '../../web/traps/trap-detector.ts';
import type { Scope } from '../../web/urls/scope.ts';
import type { FrontierEntry } from '../frontier/frontier-entry.ts';
import type { Unsaved } from './checkpointer.ts';

/** The column crawl_states.discovery. */
export interface KeptDiscovery {
  /** Where redirects of the seed led. */
  readonly admittedSeeds?: readonly string[];
  /** The trap detector's counts. */
  readonly trapPages?: Readonly<Record<string, number>>;
  /** Groups of URLs that were wrongly dropped as traps. */
  readonly refutedTraps?: readonly string[];
}

export interface DiscoveryOptions {
  readonly scope: Scope;
  readonly traps: TrapDetector | undefined;
  readonly unsaved: () => Unsaved;
  /** From earlier runs. */
  readonly kept: KeptDiscovery;
}

/** Findings about the site that later runs reuse: where the seed redirected, and suspected traps. */
export class Discovery {
  readonly #options: DiscoveryOptions;
  readonly #admittedSeeds: string[];
  #trapPages: Readonly<Record<string, number>>;
  #refuted = 0;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
    const { admittedSeeds = [], trapPages = {} } = options.kept;
    this.#admittedSeeds = [...admittedSeeds];
    this.#trapPages = trapPages;
    for (const url of admittedSeeds) options.scope.admitSeed(url);
  }

  admitSeed(url: string): void {
    this.#options.scope.admitSeed(url);
    this.#admittedSeeds.push(url);
    this.#keep();
  }

  /** Seeds that runners of other shards admitted. */
  seedsAdmitted(urls: readonly string[]): void {
    for (const url of urls) {
      if (this.#admittedSeeds.includes(url)) continue;
      this.#options.scope.admitSeed(url);
      this.#admittedSeeds.push(url);
    }
  }

  skipped({ url }: FrontierEntry, reason: Parameters<TrapDetector['skipped']>[1]): void {
    this.#options.traps?.skipped(url, reason);
  }

  learn({ url, kind }: FrontierEntry, content: ContentProof | null): void {
    const { traps } = this.#options;
    if (kind !== 'page' || !traps) return;
    traps.learn(url, content);
    const trapPages = traps.changedCounts();
    if (trapPages === null && traps.refuted.length === this.#refuted) return;
    this.#trapPages = trapPages ?? this.#trapPages;
    this.#keep();
  }

  /** Groups of URLs wrongly dropped as traps; undefined: none. */
  get wanted(): ((url: string) => boolean) | undefined {
    const { traps } = this.#options;
    return traps && traps.refuted.length > 0 ? (url) => traps.isWanted(url) : undefined;
  }

  /** Those are in the frontier again. */
  returned(): void {
    this.#options.traps?.forgetRefuted();
    this.#keep();
  }

  /** Saves it with the next checkpoint. */
  #keep(): void {
    const refutedTraps = this.#options.traps?.refuted ?? [];
    this.#refuted = refutedTraps.length;
    this.#options.unsaved().discovery = {
      admittedSeeds: this.#admittedSeeds,
      trapPages: this.#trapPages,
      refutedTraps,
    };
  }
}
