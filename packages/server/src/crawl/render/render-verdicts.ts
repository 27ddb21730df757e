import type { Suspicion } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

/** Pages of a host that have a shape and a suspicion in common. */
export interface PageGroup {
  readonly host: string;
  readonly shape: string;
  readonly suspicion: Suspicion;
}

interface Counts {
  readonly rendered: number;
  readonly needed: number;
}

const readStatement = statement<Counts & { shape: string; suspicion: Suspicion }>(
  'read-render-verdicts',
  'SELECT shape, suspicion, rendered, needed FROM render_verdicts WHERE host = $1 AND expires_at > now()',
);

/** An expired verdict begins anew. */
const learnStatement = statement<Counts>(
  'learn-render-verdict',
  `INSERT INTO render_verdicts AS verdict (host, shape, suspicion, rendered, needed, expires_at)
   VALUES ($1, $2, $3, 1, $4::boolean::int, now() + interval '14 days')
   ON CONFLICT (host, shape, suspicion) DO UPDATE SET
     rendered = CASE WHEN verdict.expires_at > now() THEN verdict.rendered ELSE 0 END + 1,
     needed = CASE WHEN verdict.expires_at > now() THEN verdict.needed ELSE 0 END + excluded.needed,
     expires_at = CASE WHEN verdict.expires_at > now() THEN verdict.expires_at ELSE excluded.expires_at END
   RETURNING rendered, needed`,
);

/** In portions, so that locks are short: a crawl of many hosts leaves verdicts for each. */
const pruneStatement = statement(
  'prune-render-verdicts',
  `
DELETE FROM render_verdicts WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM render_verdicts WHERE expires_at < now() - interval '1 day' LIMIT 5000 FOR UPDATE SKIP LOCKED))
RETURNING host`,
);

/** Deletes verdicts that have expired. */
export async function pruneVerdicts(
  db: Queryable,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<void> {
  while (!signal?.aborted && (await run(db, pruneStatement)).length > 0);
}

/**
 * So many pages of a group are rendered and compared before the others follow what they showed. A host whose shapes all differ is
 * judged by all of them together.
 */
const samples = { shape: 3, host: 12 };
/** Nearly every page has a script. */
const samplesOfWeak = { shape: 2, host: 4 };

type Verdict = 'render' | 'keep' | 'sample';

/** What rendering showed about the pages of each host. All workers and later crawls share it. */
export class RenderVerdicts {
  readonly #db: Queryable;
  readonly #hosts = new Map<string, Promise<Map<string, Counts>>>();
  /** Samples under way, by group; the other pages of the group wait for them. */
  readonly #sampling = new Map<string, Set<Promise<void>>>();

  constructor(db: Queryable) {
    this.#db = db;
  }

  /**
   * Calls `compare` for a page that is to be a sample, with what it found out as its result: undefined when nothing could be
   * learned. Resolves with what holds for this page.
   */
  async decide(group: PageGroup, compare: () => Promise<boolean | undefined>): Promise<boolean | undefined> {
    const key = keyOf(group);
    let known = await this.#known(group.host);
    let sampling = this.#sampling.get(key);
    for (;;) {
      const verdict = verdictOn(group, known);
      if (verdict !== 'sample') return verdict === 'render';
      const finished = known.get(rowOf(group))?.rendered ?? 0;
      if (!sampling || sampling.size === 0 || sampling.size + finished < samplesOf(group).shape) break;
      await Promise.race(sampling);
      known = await this.#known(group.host);
      sampling = this.#sampling.get(key);
    }
    // Nothing is awaited between the look at the samples under way and the entry of this one.
    const comparing = compare();
    sampling ??= new Set();
    this.#sampling.set(key, sampling);
    const learned = comparing.then((isNeeded) => this.#learn(group, isNeeded)).catch(() => undefined);
    sampling.add(learned);
    void learned.finally(() => sampling.delete(learned));
    const isNeeded = await comparing;
    await learned;
    return isNeeded;
  }

  #known(host: string): Promise<Map<string, Counts>> {
    let known = this.#hosts.get(host);
    if (!known) {
      known = run(this.#db, readStatement, [host]).then(
        (rows) => new Map(rows.map(({ shape, suspicion, ...counts }) => [`${suspicion} ${shape}`, counts])),
      );
      // A crawl goes on while the database is away: its pages are samples then.
      known = known.catch(() => {
        this.#hosts.delete(host);
        return new Map();
      });
      this.#hosts.set(host, known);
    }
    return known;
  }

  async #learn({ host, shape, suspicion }: PageGroup, isNeeded: boolean | undefined): Promise<void> {
    if (isNeeded === undefined) return;
    const [counts] = await run(this.#db, learnStatement, [host, shape, suspicion, isNeeded]);
    const known = await this.#known(host);
    if (counts) known.set(`${suspicion} ${shape}`, counts);
  }
}

function verdictOn(group: PageGroup, known: ReadonlyMap<string, Counts>): Verdict {
  const own = known.get(rowOf(group));
  if (own && own.rendered >= samplesOf(group).shape) return own.needed > 0 ? 'render' : 'keep';
  const alike = [...known]
    .filter(([row]) => row.startsWith(`${group.suspicion} `))
    .map(([, counts]) => counts);
  const rendered = alike.reduce((sum, counts) => sum + counts.rendered, 0);
  const needed = alike.reduce((sum, counts) => sum + counts.needed, 0);
  if (rendered < samplesOf(group).host) return 'sample';
  if (needed === 0) return 'keep';
  return needed === rendered ? 'render' : 'sample';
}

function samplesOf({ suspicion }: PageGroup): typeof samples {
  return suspicion === 'script' ? samplesOfWeak : samples;
}

function rowOf({ shape, suspicion }: PageGroup): string {
  return `${suspicion} ${shape}`;
}

function keyOf({ host, shape, suspicion }: PageGroup): string {
  return `${host} ${suspicion} ${shape}`;
}
