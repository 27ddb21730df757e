import type { Suspicion } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

/** Pages of a host with the same shape and the same reason. */
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

/** An expired verdict is replaced. */
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
 * Number of sample pages per group that are rendered and compared; their result applies to the rest. If all shapes of a
 * host differ, they form one group.
 */
const samples = { shape: 3, host: 12 };
/** Nearly every page has a script. */
const samplesOfWeak = { shape: 2, host: 4 };

type Verdict = 'render' | 'keep' | 'sample';

/** Results of rendering samples of each host, shared by all workers and later crawls. */
export class RenderVerdicts {
  readonly #db: Queryable;
  readonly #hosts = new Map<string, Promise<Map<string, Counts>>>();
  /** Samples in progress, by group; other pages of the group wait for them. */
  readonly #sampling = new Map<string, Set<Promise<void>>>();

  constructor(db: Queryable) {
    this.#db = db;
  }

  /**
   * Calls `compare` if the page becomes a sample; its result is undefined if the comparison was inconclusive. Resolves
   * with the verdict for this page.
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
    // No await between checking the samples in progress and adding this one.
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
      // While the database is down, the crawl continues and treats its pages as samples.
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
