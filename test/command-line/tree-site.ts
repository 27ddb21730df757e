import { setTimeout as delay } from 'node:timers/promises';
import { type LocalSite, startSite } from '../../packages/server/src/web/fetch/testing/local-site.ts';

export interface TreeSite extends LocalSite {
  /** How often each page was asked for. */
  timesAsked(): Map<string, number>;
  /** Resolves when so many pages have been asked for. */
  asked(count: number): Promise<void>;
}

/** A site of so many pages: each leads to two further ones and back to the start. */
export async function startTreeSite(
  pages: number,
  answerMs = 0,
  textOf: (page: number) => string = () => '',
  port = 0,
): Promise<TreeSite> {
  const waiting: { count: number; resolve: () => void }[] = [];
  const asked = new Map<string, number>();
  let total = 0;
  const site = await startSite(async (request, response) => {
    const number =
      request.url === '/' ? 0 : Number(/^\/p\/(\d+)$/.exec(request.url ?? '')?.[1] ?? Number.NaN);
    if (!(number < pages)) return response.writeHead(404).end();
    asked.set(request.url ?? '', (asked.get(request.url ?? '') ?? 0) + 1);
    total++;
    for (const { count, resolve } of waiting) if (total >= count) resolve();
    await delay(answerMs);
    response.setHeader('content-type', 'text/html; charset=utf-8').end(page(number, pages, textOf(number)));
  }, port);
  return {
    ...site,
    timesAsked: () => asked,
    asked: (count) =>
      new Promise((resolve) => (total >= count ? resolve() : waiting.push({ count, resolve }))),
  };
}

function page(number: number, pages: number, text: string): string {
  const links = [2 * number + 1, 2 * number + 2].filter((next) => next < pages);
  return `<!doctype html><html lang="en"><head><title>=Page "${number}", with a comma</title></head>
<body><main><h1>Page ${number}</h1><p>${'Some words that make a paragraph. '.repeat(8)}</p>
${text && `<p>${text}</p>`}
<p>${links.map((next) => `<a href="/p/${next}">on</a>`).join(' ')} <a href="/">home</a></p></main></body></html>`;
}
