import { Random } from '../random.ts';

/** What a request for a path is answered with. */
type Answer =
  | { readonly kind: 'page'; readonly page: number; readonly links: readonly string[] }
  | { readonly kind: 'redirect'; readonly status: 301 | 302 | 308; readonly to: string }
  | { readonly kind: 'error'; readonly status: number };

export interface SitePath {
  readonly answer: Answer;
  readonly delayMs: number;
  /** So many requests fail with 502 before one succeeds. */
  readonly failures: number;
  /** What a crawl must have made of it: `fetched`, or the outcome with its reason. */
  readonly outcome: string;
}

/**
 * A part of a site under a path of its own, for one crawl. All of it follows from the seed: a tree of pages, so that each
 * is reached, with links back and across, redirects in one and two steps, pages that are gone or broken for good or for
 * a moment, slow ones, and the same page under other addresses (some of which are the same address, written otherwise).
 */
export class Section {
  readonly prefix: string;
  readonly paths = new Map<string, SitePath>();
  readonly #random: Random;
  readonly #pages: number;

  constructor(seed: number, number: number, pages: number) {
    this.prefix = `/s${number}/`;
    this.#pages = pages;
    this.#random = new Random(seed, 'section', number);
    const extras = Array.from({ length: pages }, (_, page) => this.#extras(page));
    for (let page = 0; page < pages; page++) this.#addPage(page, extras[page] ?? []);
  }

  /** What is found from the start, if these pages lead nowhere. */
  reachedWithout(dead: ReadonlySet<string>): Set<string> {
    const reached = new Set([this.prefix]);
    for (const path of reached) {
      const answer = dead.has(path) ? undefined : this.paths.get(path)?.answer;
      const links = answer?.kind === 'page' ? answer.links : answer?.kind === 'redirect' ? [answer.to] : [];
      for (const link of links) {
        const { pathname, search } = new URL(link, 'http://site.example');
        const target = pathname + search.replace('?utm_source=mail', '');
        if (this.paths.has(target)) reached.add(target);
      }
    }
    return reached;
  }

  #pathOf(page: number): string {
    return page === 0 ? this.prefix : `${this.prefix}p${page}`;
  }

  #addPage(page: number, extras: readonly string[]): void {
    const random = this.#random;
    const children = [page * 2 + 1, page * 2 + 2].filter((child) => child < this.#pages);
    const others = Array.from({ length: random.between(0, 6) }, () => random.between(0, this.#pages - 1));
    const links = [
      ...children.map((child) => this.#pathOf(child)),
      ...others.map((other) => this.#written(other)),
    ];
    const answer = {
      kind: 'page',
      page,
      links: [...links, ...extras, 'https://elsewhere.example/'],
    } as const;
    const failures = page > 0 && random.isTrue(0.015) ? 1 : 0;
    this.#add(this.#pathOf(page), { answer, failures, outcome: 'fetched' });
  }

  /** The same address in one of the ways in which people write it. */
  #written(page: number): string {
    const path = this.#pathOf(page);
    const ways = [
      path,
      `${path}#part`,
      `${path}?utm_source=mail`,
      `${this.prefix}x/..${path.slice(this.prefix.length - 1)}`,
    ];
    return this.#random.pick(ways);
  }

  /** Addresses beside the tree that this page leads to. */
  #extras(page: number): string[] {
    const random = this.#random;
    const extras: string[] = [];
    if (random.isTrue(0.04)) {
      const steps = random.between(1, 2);
      const target = this.#pathOf(random.between(0, this.#pages - 1));
      for (let step = steps; step >= 1; step--) {
        const to = step === steps ? target : `${this.prefix}moved${page}-${step + 1}`;
        const answer = { kind: 'redirect', status: random.pick([301, 302, 308] as const), to } as const;
        this.#add(`${this.prefix}moved${page}-${step}`, { answer, outcome: 'redirected' });
      }
      extras.push(`${this.prefix}moved${page}-1`);
    }
    if (random.isTrue(0.02)) {
      const status = random.pick([404, 410, 403]);
      this.#add(`${this.prefix}gone${page}`, {
        answer: { kind: 'error', status },
        outcome: `failed: http_${status}`,
      });
      extras.push(`${this.prefix}gone${page}`);
    }
    if (random.isTrue(0.004)) {
      this.#add(`${this.prefix}broken${page}`, {
        answer: { kind: 'error', status: 500 },
        outcome: 'failed: site_error',
      });
      extras.push(`${this.prefix}broken${page}`);
    }
    if (random.isTrue(0.05)) {
      const path = `${this.prefix}p${page}?view=print`;
      this.#add(path, { answer: { kind: 'page', page, links: [this.#pathOf(page)] }, outcome: 'fetched' });
      extras.push(path);
    }
    return extras;
  }

  #add(path: string, given: Omit<SitePath, 'delayMs' | 'failures'> & { failures?: number }): void {
    const random = this.#random;
    const delayMs = random.isTrue(0.02) ? random.between(300, 900) : random.between(5, 45);
    this.paths.set(path, { failures: 0, delayMs, ...given });
  }
}
