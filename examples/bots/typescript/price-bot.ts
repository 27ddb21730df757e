/*
 * A complete bot for Holdfast with the SDK: it pulls visits, fetches their pages, reads the price from JSON-LD and submits it.
 * Heartbeats, repeated calls and the clean stop are the SDK's.
 *
 *   holdfast bots create bot-001                       # prints a token
 *   HOLDFAST_TOKEN=hf_… node price-bot.ts              # Node 22.18 or newer; with Node 20: npx -y tsx price-bot.ts
 */
import { Bot, type VisitResult } from '@holdfast/sdk';

const {
  HOLDFAST_URL: baseUrl = 'http://127.0.0.1:7070',
  HOLDFAST_TOKEN: token,
  BOT_ID: botId = 'bot-001',
} = process.env;
if (!token) {
  console.error('Set HOLDFAST_TOKEN to what `holdfast bots create` printed.');
  process.exit(2);
}

const maxPageBytes = 5_000_000;

const bot = new Bot({
  baseUrl,
  token,
  botId,
  concurrency: 4,
  onSubmitted: (job, answer) => console.log(answer.status, job.url),
  onError: (error, job) => console.error(job?.url ?? 'bot', String(error)),
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void bot.stop());

const tally = await bot.run(async (job, { signal }): Promise<VisitResult> => {
  const response = await fetch(job.url, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
    headers: { 'user-agent': 'holdfast-example-bot/1.0' },
  });
  if (!response.ok) throw new Error(`the page answered ${response.status}`);
  const html = await readText(response);
  const product = findProduct(html);
  if (!product) throw new Error('the page shows no product with a price');
  return product;
});
console.log(
  `pulled ${tally.pulled}, succeeded ${tally.succeeded}, failed ${tally.failed}, lost ${tally.lost}`,
);

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxPageBytes) throw new Error(`the page is larger than ${maxPageBytes} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The first product with an offer. Numbers become text before they are parsed: a price must not pass through a float. */
function findProduct(html: string): VisitResult | undefined {
  for (const [, json = ''] of html.matchAll(
    /<script[^>]+application\/ld\+json[^>]*>([\s\S]*?)<\/script>/gi,
  )) {
    const nodes = [parse(json.replace(/("price"\s*:\s*)(-?\d[\d.]*)/g, '$1"$2"'))];
    for (const node of nodes) {
      if (typeof node !== 'object' || node === null) continue;
      const { '@type': type, name, offers } = node as Record<string, unknown>;
      const offer = (Array.isArray(offers) ? offers[0] : offers) as Record<string, unknown> | undefined;
      if (String(type).includes('Product') && offer?.price !== undefined) {
        return {
          price: String(offer.price),
          currency: String(offer.priceCurrency ?? ''),
          title: String(name ?? '').slice(0, 1000),
          in_stock: String(offer.availability ?? '').endsWith('InStock'),
        };
      }
      nodes.push(...Object.values(node));
    }
  }
  return undefined;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
