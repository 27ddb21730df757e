import { LruMap } from '../../base/collections/lru-map.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { refusesAiInput } from '../../web/robots/content-preferences.ts';
import type { ContentPreference, RobotsRules } from '../../web/robots/robots-rules.ts';

export interface SitePreference extends Omit<ContentPreference, 'agents'> {
  readonly agents: string[];
  readonly origin: string;
  /** When its robots.txt was read. */
  readonly read_at: Date;
}

const maxShown = 200;

const ofSourceStatement = statement<{
  origin: string;
  read_at: Date;
  preferences: Omit<SitePreference, 'origin' | 'read_at'>[];
}>(
  'preferences-of-source',
  `
SELECT origin, fetched_at AS read_at, rules -> 'preferences' AS preferences
FROM sources source JOIN robots_cache ON origin = ANY (ARRAY(
  SELECT scheme || host FROM unnest(source.hosts) host, unnest(ARRAY['https://', 'http://']) scheme))
WHERE source.id = $1 AND rules ? 'preferences' ORDER BY origin LIMIT ${maxShown}`,
);

/** What the hosts of a source ask of those that use their content. */
export async function preferencesOfSource(db: Queryable, id: string): Promise<SitePreference[]> {
  const rows = await run(db, ofSourceStatement, [id]);
  return rows
    .flatMap(({ preferences, ...site }) => preferences.map((preference) => ({ ...preference, ...site })))
    .slice(0, maxShown);
}

const rulesStatement = statement<{ rules: RobotsRules }>(
  'rules-of-origin',
  `SELECT rules FROM robots_cache WHERE origin = $1`,
);

const maxOrigins = 1_000;

/** Tells which pages refuse AI input, by the robots.txt that was read last. */
export class AiRefusals {
  readonly #db: Queryable;
  readonly #agent: string;
  readonly #rules = new LruMap<RobotsRules | null>(maxOrigins);

  /** `agent`: the name that robots.txt knows the crawler by. */
  constructor(db: Queryable, agent: string) {
    this.#db = db;
    this.#agent = agent;
  }

  async refuses(pageUrl: string): Promise<boolean> {
    const { origin, pathname, search } = new URL(pageUrl);
    let rules = this.#rules.get(origin);
    if (rules === undefined) {
      rules = (await run(this.#db, rulesStatement, [origin]))[0]?.rules ?? null;
      this.#rules.set(origin, rules);
    }
    return rules !== null && refusesAiInput(rules, this.#agent, pathname + search);
  }
}
