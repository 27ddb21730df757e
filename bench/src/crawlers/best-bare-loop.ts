import { Tokenizer } from 'htmlparser2';
import { type Dispatcher, Pool } from 'undici';
import type { CrawlResult, CrawlTask } from './crawler.ts';
import { UrlQueue } from './url-queue.ts';

/** The fastest loop that we know how to write with the same libraries: `dispatch`, Tokenizer, each href resolved once. */
export async function crawl({ origin, concurrency }: CrawlTask): Promise<CrawlResult> {
  const pool = new Pool(origin, { connections: concurrency });
  const started = performance.now();
  const resolved = new Map<string, string>();
  let links = 0;
  const queue = new UrlQueue(`${origin}/`);
  const found = (href: string) => {
    let url = resolved.get(href);
    if (url === undefined) {
      url = new URL(href, `${origin}/`).href;
      resolved.set(href, url);
    }
    if (!url.startsWith(origin)) return;
    links += 1;
    queue.add(url);
  };
  await queue.drain(concurrency, (url) =>
    fetchText(pool, url.slice(origin.length)).then((html) => readLinks(html, found)),
  );
  const ms = performance.now() - started;
  await pool.close();
  return { ms, pages: queue.size, links };
}

function fetchText(pool: Pool, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {},
      onResponseStart(_, status) {
        if (status !== 200) reject(new Error(`${path} answered ${status}`));
      },
      onResponseData(_, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        resolve((chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString());
      },
      onResponseError: (_, error) => reject(error),
    };
    pool.dispatch({ method: 'GET', path }, handler);
  });
}

function readLinks(html: string, found: (href: string) => void): void {
  let isAnchor = false;
  let isHref = false;
  const ignore = () => {};
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: false },
    {
      onopentagname(start, end) {
        isAnchor = end - start === 1 && html.charCodeAt(start) === 0x61;
      },
      onattribname(start, end) {
        isHref = isAnchor && end - start === 4 && html.startsWith('href', start);
      },
      onattribdata(start, end) {
        if (isHref) found(html.slice(start, end));
      },
      onattribentity: ignore,
      onattribend: ignore,
      oncdata: ignore,
      onclosetag: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onopentagend: ignore,
      onprocessinginstruction: ignore,
      onselfclosingtag: ignore,
      ontext: ignore,
      ontextentity: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
}
