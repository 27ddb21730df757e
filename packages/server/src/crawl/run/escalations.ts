import {
  type Block,
  type BlockEscalation,
  blockEscalations,
  describeBlock,
  HoldfastError,
} from '@holdfast/contract';
import type { ProxyRoutes } from '../../governor/proxies/proxy-routes.ts';
import type { Page } from '../../pages/stored/page.ts';
import { detectBlock } from '../../web/blocks/detect-block.ts';
import type { FetchResponse } from '../../web/fetch/fetcher.ts';
import type { FrontierEntry } from '../frontier/frontier-entry.ts';
import type { PageRendering } from '../render/page-rendering.ts';

type Entry = Pick<FrontierEntry, 'url' | 'url_hash' | 'host' | 'kind'>;

/** Remedies for a blocked page. */
interface Means {
  readonly proxies: Pick<ProxyRoutes, 'serversFor'>;
  readonly rendering: PageRendering | undefined;
}

interface Tried {
  readonly url: string;
  /** The first block seen. */
  readonly block: Block;
  readonly steps: BlockEscalation[];
  /** How often another proxy was tried. */
  others: number;
  /** Proxy servers whose response was blocked. */
  readonly servers: Set<string>;
}

/** Maximum other proxy servers to try for a blocked page. */
const otherServers = 2;

/**
 * Blocked answers of a run: who blocked them, and what `on_block` has them tried with. A page is asked for again with the governor's
 * leave, like any other. Also notes which proxy server brought each answer.
 */
export class Escalations {
  readonly #plan: readonly BlockEscalation[];
  readonly #tried = new Map<string, Tried>();
  readonly #byUrl = new Map<string, Tried>();
  /** By URL hash. */
  readonly #proxies = new Map<string, string>();

  constructor(plan: readonly BlockEscalation[]) {
    this.#plan = plan;
  }

  /**
   * again   ask for the page again, through another proxy server
   * render  let a browser run the challenge
   * error   the page fails: a known service blocks it. Undefined: go on as with any answer, also with an ordinary 403.
   */
  judge(entry: Entry, response: FetchResponse, means: Means): 'again' | 'render' | HoldfastError | undefined {
    const { proxy } = response;
    if (proxy !== undefined) this.#proxies.set(entry.url_hash, proxy);
    if (entry.kind !== 'page') return undefined;
    const block = detectBlock(response);
    if (!block) return undefined;
    const tried = this.#note(entry, block, proxy);
    const step = this.#next(tried, block, {
      servers: means.proxies.serversFor(entry.host),
      canRender: means.rendering !== undefined && response.body !== undefined,
    });
    if (step) return step === 'proxy' ? 'again' : 'render';
    if (block.by === 'site' || block.kind === 'rate_limit') return undefined;
    return new HoldfastError('blocked', describeBlock(block));
  }

  /** Proxy servers to avoid for this URL. */
  triedBy(url: string): Iterable<string> {
    return this.#byUrl.size === 0 ? [] : (this.#byUrl.get(url)?.servers ?? []);
  }

  /**
   * The block for the page's record, which is then forgotten. A page that succeeded without a remedy was not blocked.
   */
  settle({ url_hash }: Entry, outcome: Page['outcome']): Pick<Page, 'proxy' | 'blocked'> | undefined {
    if (this.#proxies.size === 0 && this.#tried.size === 0) return undefined;
    const proxy = this.#proxies.get(url_hash) ?? null;
    const tried = this.#tried.get(url_hash);
    this.#proxies.delete(url_hash);
    if (!tried) return { proxy };
    this.#tried.delete(url_hash);
    this.#byUrl.delete(tried.url);
    const { block, steps } = tried;
    if (steps.length > 0) return { proxy, blocked: { ...block, tried: steps } };
    return outcome === 'failed' ? { proxy, blocked: block } : { proxy };
  }

  #note({ url, url_hash }: Entry, block: Block, proxy: string | undefined): Tried {
    const tried = this.#tried.get(url_hash) ?? { url, block, steps: [], others: 0, servers: new Set() };
    this.#tried.set(url_hash, tried);
    this.#byUrl.set(url, tried);
    if (proxy !== undefined) tried.servers.add(proxy);
    return tried;
  }

  /** Rate limits and legal refusals are respected, so no remedy is tried. A browser helps only with challenges. */
  #next(
    tried: Tried,
    { kind }: Block,
    { servers, canRender }: { readonly servers: number; readonly canRender: boolean },
  ): BlockEscalation | undefined {
    if (kind === 'rate_limit' || kind === 'legal') return undefined;
    const { steps } = tried;
    const may = {
      proxy: tried.others < Math.min(servers - 1, otherServers),
      render: kind === 'challenge' && canRender && !steps.includes('render'),
    };
    const step = blockEscalations.find((one) => may[one] && this.#plan.includes(one));
    if (step === 'proxy') tried.others++;
    if (step && steps.at(-1) !== step) steps.push(step);
    return step;
  }
}
