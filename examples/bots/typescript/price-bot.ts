/*
 * A complete bot for Holdfast with the SDK: it pulls visits, fetches their pages, reads the price from JSON-LD and submits it.
 * Heartbeats, repeated calls and the clean stop are the SDK's.
 *
 *   npx holdfast bots create bot-001                               # prints a token
 *   npx rolldown examples/bots/typescript/price-bot.ts --platform node --file price-bot.mjs    # Node 20.19 or newer runs that
 *   HOLDFAST_TOKEN=hf_… node price-bot.mjs --bot-id bot-001
 *
 * With --until-empty it ends when there is nothing left to do. HOLDFAST_BOT_ID and HOLDFAST_URL say the same as --bot-id and --url.
 */
import { parseArgs } from 'node:util';
import { Bot, type BotTally, type VisitResult } from '@holdfast/sdk';

const { HOLDFAST_TOKEN: token } = process.env;
if (!token) fail('Set HOLDFAST_TOKEN to what `holdfast bots create` printed.', 2);

const { url: baseUrl, 'bot-id': botId, 'until-empty': untilEmpty } = readOptions();
const maxPageBytes = 5_000_000;

let tally: BotTally;
try {
  const bot = new Bot({
    baseUrl,
    token,
    botId,
    concurrency: 4,
    untilEmpty,
    onSubmitted: (job, answer) => console.log(answer.status, job.url),
    onError: (error, job) => console.error(job?.url ?? 'bot', String(error)),
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void bot.stop());
  tally = await bot.run(visit);
} catch (error) {
  // Permanent errors: an invalid token, or the token of another bot.
  fail(`${botId} at ${baseUrl}: ${messageOf(error)}`);
}
console.log(
  `pulled ${tally.pulled}, succeeded ${tally.succeeded}, failed ${tally.failed}, lost ${tally.lost}`,
);

function readOptions() {
  const { HOLDFAST_URL = 'http://127.0.0.1:7070', HOLDFAST_BOT_ID = 'bot-001' } = process.env;
  try {
    return parseArgs({
      options: {
        url: { type: 'string', default: HOLDFAST_URL },
        'bot-id': { type: 'string', default: HOLDFAST_BOT_ID },
        'until-empty': { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    fail(messageOf(error), 2);
  }
}

function fail(message: string, exit = 1): never {
  console.error(message);
  process.exit(exit);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function visit(
  job: { readonly url: string },
  { signal }: { readonly signal: AbortSignal },
): Promise<VisitResult> {
  const response = await fetch(job.url, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
    headers: { 'user-agent': 'holdfast-example-bot/1.0' },
  });
  if (!response.ok) throw new Error(`the page answered ${response.status}`);
  const html = await readText(response);
  const product = findProduct(html);
  if (!product) throw new Error('the page shows no product with a price');
  return product;
}

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
