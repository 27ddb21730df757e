import { setTimeout as delay } from 'node:timers/promises';
import { configureSource } from '../../../packages/server/src/governor/sources/configure-source.ts';
import { enqueueJobs } from '../../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { createPolicy } from '../../../packages/server/src/queue/policies/create-policy.ts';
import { createIntake } from '../../../packages/server/src/shop/intakes/edit-intakes.ts';
import { enqueueIntakes } from '../../../packages/server/src/shop/intakes/enqueue-intakes.ts';
import { Section } from '../site/section.ts';
import type { Stage } from '../stage/stage.ts';

const visits = 20;
const crawls = 3;
const items = 10;

/** What comes again by itself: policies for visits of ours and of bots, for small crawls, and prices of items. */
export class RegularWork {
  readonly #stage: Stage;
  #isStopped = false;
  #working: Promise<void> | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async start(): Promise<void> {
    const { pool, origins, run } = this.#stage;
    const [shop, site] = origins;
    if (!shop || !site) throw new Error('regular work needs two origins');
    shop.special = (path, _request, response) => {
      if (path.startsWith('/product/'))
        response.setHeader('content-type', 'text/html').end(productPage(path));
      else if (path.startsWith('/prices'))
        response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify({ items: [{ id: path, price: '12.50', currency: 'EUR', title: 'Coin' }] }));
      else return false;
      return true;
    };
    const often = { frequency_hours: 1, retry_backoff_minutes: 1 };
    for (let n = 0; n < visits; n++) {
      await createPolicy(pool, { kind: 'visit', url: `${shop.url}/product/${n}`, ...often });
      const url = `https://shop.example/${n}`;
      await createPolicy(pool, { kind: 'visit', executor: 'bot', url, lock_ttl_seconds: 5, ...often });
    }
    for (let n = 0; n < crawls; n++) {
      const section = new Section(run.seed, 900_000 + n, 60);
      site.add(section);
      const options = { path_prefix: section.prefix, discover: false, attempts: 2 };
      await createPolicy(pool, { kind: 'crawl', url: `${site.url}${section.prefix}`, options, ...often });
    }
    // The stage made a source of each origin; this one can be asked for prices too.
    await configureSource(pool, 'origin-0', {
      adapter_type: 'json',
      config: {
        url: `${shop.url}/prices?q={query}`,
        items: 'items',
        fields: { price: 'price', currency: 'currency', title: 'title', external_id: 'id' },
      },
    });
    const intakes = [];
    for (let n = 0; n < items; n++) intakes.push(await createIntake(pool, 'local', { title: `Coin ${n}` }));
    this.#working = (async () => {
      for (let second = 0; !this.#isStopped; second++) {
        try {
          await this.#makeDue(4);
          if (second % 15 === 0)
            await enqueueIntakes(pool, intakes, { staggerSeconds: 0.5 }, (requests) =>
              enqueueJobs(pool, requests),
            );
        } catch {
          // The database is away: there will be another second.
        }
        await delay(1_000);
      }
    })();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#working;
  }

  async #makeDue(limit: number): Promise<void> {
    await this.#stage.pool.query(
      `UPDATE crawl_policies SET next_run_at = now() WHERE id = ANY (ARRAY(
         SELECT id FROM crawl_policies policy WHERE next_run_at > now() AND NOT EXISTS (
           SELECT FROM crawl_jobs WHERE policy_id = policy.id AND status IN ('pending', 'processing', 'retryable'))
         ORDER BY random() LIMIT $1))`,
      [limit],
    );
  }
}

function productPage(path: string): string {
  const product = { '@context': 'https://schema.org', '@type': 'Product', name: `Thing ${path}` };
  const offers = {
    '@type': 'Offer',
    price: '9.99',
    priceCurrency: 'EUR',
    availability: 'https://schema.org/InStock',
  };
  return `<!doctype html><title>Thing</title><script type="application/ld+json">${JSON.stringify({ ...product, offers })}</script>`;
}
