import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as contract from '@holdfast/contract';
import { BotApi, Holdfast, type OperationName, operations, terminalStatuses } from '@holdfast/sdk';
import { beforeAll, expect, test } from 'vitest';
import { type ApiDescription, generateSdk, sdkOperations } from '../../scripts/generate-sdk.ts';
import { SdkFixture } from './sdk-fixture.ts';

const fixture = new SdkFixture();
const root = fileURLToPath(new URL('../..', import.meta.url));
let document: ApiDescription;
beforeAll(async () => {
  document = (await fixture.api.json('/api/openapi.json')).body;
});

test('the types and routes of the SDK are those of the OpenAPI document (-u writes them anew)', async () => {
  const source = formatted(generateSdk(document));
  await expect(source).toMatchFileSnapshot(`${root}/packages/sdk/src/operations.ts`);
});

function formatted(source: string): string {
  const args = ['format', '--stdin-file-path=packages/sdk/src/operations.ts'];
  const { status, stdout, stderr } = spawnSync('node_modules/.bin/biome', args, {
    cwd: root,
    input: source,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

const id = '01a1e1d5-de60-7d19-800b-34c5346a372f';
const hash = '01a1e1d5-de60-7d19-800b-34c5346a3730';
const url = 'https://example.com/';
const lease = { job_id: id, lease_token: 'token' };
const failed = { ...lease, success: false, error_msg: 'no' } as const;

/** Every operation, through the method that is there for it. A new route is missing here until it has one. */
const methods: Record<OperationName, (holdfast: Holdfast, bot: BotApi) => unknown> = {
  createJob: ({ jobs }) => jobs.create({ kind: 'crawl', payload: { url } }),
  bulkCreateJobs: ({ jobs }) => jobs.createMany([{ kind: 'crawl', payload: { url } }]),
  listJobs: ({ jobs }) => jobs.list().firstPage(),
  showJob: ({ jobs }) => jobs.get(id),
  runNowJob: ({ jobs }) => jobs.runNow(id),
  pauseJob: ({ jobs }) => jobs.pause(id),
  resumeJob: ({ jobs }) => jobs.resume(id),
  cancelJob: ({ jobs }) => jobs.cancel(id),
  retryJob: ({ jobs }) => jobs.retry(id),
  expireJob: ({ jobs }) => jobs.expire(id),
  resetLockJob: ({ jobs }) => jobs.resetLock(id),
  retryJobUrls: ({ jobs }) => jobs.retryUrls(id),
  deleteJob: ({ jobs }) => jobs.delete(id, { with_results: true }),
  bulkActOnJobs: ({ jobs }) => jobs.bulk({ action: 'pause', ids: [id] }),
  listPages: ({ jobs }) => jobs.pages(id).firstPage(),
  showPage: ({ jobs }) => jobs.page(id, hash),
  downloadPageMarkdown: ({ jobs }) => jobs.pageMarkdown(id, hash),
  downloadPageHtml: ({ jobs }) => jobs.pageHtml(id, hash),
  downloadPageScreenshot: ({ jobs }) => jobs.pageScreenshot(id, hash),
  exportPages: ({ jobs }) => jobs.exportPages(id).next(),
  diffPage: ({ jobs }) => jobs.pageDiff(id, hash),
  listErrors: ({ jobs }) => jobs.errors(id),
  showKeptText: ({ jobs }) => jobs.keptText(id),
  listEvents: ({ jobs }) => jobs.events(id).firstPage(),
  showFrontier: ({ jobs }) => jobs.frontier(id),
  showProgress: ({ jobs }) => jobs.progress(id),
  streamJob: ({ jobs }) => jobs.stream(id).next(),
  streamEvents: ({ events }) => leave((signal) => events.stream({}, { signal }).next()),
  listAllPages: ({ pages }) => pages.list().firstPage(),
  createProfile: ({ profiles }) =>
    profiles.create({ name: 'me', origins: ['https://example.com'], bearer_token: 'token' }),
  listProfiles: ({ profiles }) => profiles.list().firstPage(),
  showProfile: ({ profiles }) => profiles.get('me'),
  replaceProfile: ({ profiles }) =>
    profiles.replace('me', { origins: ['https://example.com'], bearer_token: 'token' }),
  deleteProfile: ({ profiles }) => profiles.delete('me'),
  createPolicy: ({ policies }) => policies.create({ kind: 'crawl', url }),
  listPolicies: ({ policies }) => policies.list().firstPage(),
  showPolicy: ({ policies }) => policies.get(id),
  changePolicy: ({ policies }) => policies.update(id, { priority: 1 }),
  deletePolicy: ({ policies }) => policies.delete(id),
  enablePolicy: ({ policies }) => policies.enable(id),
  disablePolicy: ({ policies }) => policies.disable(id),
  runPolicy: ({ policies }) => policies.run(id),
  listResults: ({ results }) => results.list().firstPage(),
  showResult: ({ results }) => results.get(id),
  downloadRawResult: ({ results }) => results.rawHtml(id),
  listPriceHistory: (holdfast) => holdfast.priceHistory({ url }).firstPage(),
  listPriceChanges: (holdfast) => holdfast.priceChanges().firstPage(),
  createIntake: ({ intakes }) => intakes.create({ title: 'Coin' }),
  listIntakes: ({ intakes }) => intakes.list().firstPage(),
  showIntake: ({ intakes }) => intakes.get(id),
  changeIntake: ({ intakes }) => intakes.update(id, { title: 'Coin' }),
  deleteIntake: ({ intakes }) => intakes.delete(id),
  importIntakes: ({ intakes }) => intakes.importMany({ csv: 'title\nCoin' }),
  enqueueIntake: ({ intakes }) => intakes.enqueue(id),
  enqueueIntakes: ({ intakes }) => intakes.enqueueMany({ ids: [id] }),
  importPricePoints: ({ intakes }) =>
    intakes.importPrices(id, { source_id: 'hand', price_points: [{ price: '5.00', currency: 'USD' }] }),
  listPricePoints: ({ pricePoints }) => pricePoints.list().firstPage(),
  showPricePoint: ({ pricePoints }) => pricePoints.get(id),
  deletePricePoint: ({ pricePoints }) => pricePoints.delete(id),
  listValuations: ({ valuations }) => valuations.list().firstPage(),
  showValuation: ({ valuations }) => valuations.get(id),
  showDistribution: ({ valuations }) => valuations.distribution(id),
  listValuationHistory: ({ valuations }) => valuations.history(id).firstPage(),
  listSources: ({ sources }) => sources.list().firstPage(),
  showSource: ({ sources }) => sources.get('shop'),
  configureSource: ({ sources }) => sources.configure('shop', { hosts: ['shop.example'] }),
  changeSource: ({ sources }) => sources.update('shop', { tier: 2 }),
  pauseSource: ({ sources }) => sources.pause('shop', { seconds: 60 }),
  resumeSource: ({ sources }) => sources.resume('shop'),
  listProxies: ({ proxies }) => proxies.list().firstPage(),
  showProxy: ({ proxies }) => proxies.get('eu'),
  putProxy: ({ proxies }) => proxies.put('eu', { urls: ['http://proxy.example:3128'] }),
  deleteProxy: ({ proxies }) => proxies.delete('eu'),
  createWebhook: ({ webhooks }) => webhooks.create({ url: 'https://example.com/hook' }),
  listWebhooks: ({ webhooks }) => webhooks.list().firstPage(),
  showWebhook: ({ webhooks }) => webhooks.get(id),
  changeWebhook: ({ webhooks }) => webhooks.update(id, { events: ['job.failed'] }),
  deleteWebhook: ({ webhooks }) => webhooks.delete(id),
  enableWebhook: ({ webhooks }) => webhooks.enable(id),
  disableWebhook: ({ webhooks }) => webhooks.disable(id),
  rotateWebhookSecret: ({ webhooks }) => webhooks.rotateSecret(id, { overlap_hours: 1 }),
  testWebhook: ({ webhooks }) => webhooks.test(id),
  listWebhookDeliveries: ({ webhooks }) => webhooks.deliveries(id).firstPage(),
  showWebhookDelivery: ({ webhooks }) => webhooks.getDelivery(id, id),
  replayWebhookDelivery: ({ webhooks }) => webhooks.replayDelivery(id, id),
  replayWebhook: ({ webhooks }) => webhooks.replay(id),
  createBot: ({ bots }) => bots.create({ bot_id: 'bot-001' }),
  listBots: ({ bots }) => bots.list().firstPage(),
  showBot: ({ bots }) => bots.get('bot-001'),
  changeBot: ({ bots }) => bots.update('bot-001', { enabled: true }),
  getIdentity: (holdfast) => holdfast.identity(),
  listSourcePreferences: ({ sources }) => sources.preferences('shop'),
  listWorkers: ({ workers }) => workers.list().firstPage(),
  createKey: ({ keys }) => keys.create({ name: 'n', scopes: ['jobs:read'] }),
  listKeys: ({ keys }) => keys.list().firstPage(),
  revokeKey: ({ keys }) => keys.revoke(id),
  showStats: (holdfast) => holdfast.stats(),
  pullJobs: (_, bot) => bot.pull(),
  submitResult: (_, bot) => bot.submit(failed),
  submitResults: (_, bot) => bot.submitBatch([failed]),
  extendLock: (_, bot) => bot.heartbeat(lease),
};

/** A stream says nothing by itself: it is left when it is open. */
async function leave(open: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const leaving = new AbortController();
  const opened = open(leaving.signal).catch(() => {});
  await expect.poll(() => fixture.line.seen.length, { timeout: 20_000 }).toBe(1);
  leaving.abort();
  await opened;
}

test('every route of the document has a method that calls it as it wants to be called', async () => {
  const described = sdkOperations(document);
  expect(Object.keys(operations)).toEqual(described.map(({ name }) => name));
  const token = await fixture.api.key({ scopes: ['admin'] });
  const options = { baseUrl: fixture.line.address, retries: 0 };
  const holdfast = new Holdfast({ ...options, apiKey: token });
  const bot = new BotApi({ ...options, token, botId: 'bot-001' });
  for (const { name, method, path } of described) {
    fixture.line.mend();
    const failure = await Promise.resolve()
      .then(() => methods[name as OperationName]?.(holdfast, bot))
      .then(
        () => undefined,
        (error: unknown) => error as { name: string; code?: string; message: string },
      );
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}(\\?.*)?$`);
    expect(fixture.line.seen, name).toHaveLength(1);
    expect(fixture.line.seen[0], name).toMatchObject({ method, path: expect.stringMatching(pattern) });
    // What is asked for need not be there, but the question must be understood.
    const { code = undefined, message = '' } = failure ?? {};
    const isFine = failure === undefined || /_not_found$|^not_assigned$/.test(code ?? '');
    expect([name, isFine && code !== 'route_not_found', code, message]).toEqual([name, true, code, message]);
  }
}, 120_000);

test('jobs are at their end in the statuses that the contract says', () => {
  expect(terminalStatuses).toEqual(contract.terminalStatuses);
});

test('the SDK needs nothing but what browsers have, and nobody else', () => {
  const folder = join(root, 'packages/sdk/src');
  const sources = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  expect(sources.length).toBeGreaterThan(10);
  for (const name of sources) {
    const text = readFileSync(join(folder, name), 'utf8');
    const imported = [...text.matchAll(/from '([^']+)'|import\(([^)]*)\)/g)].map(([, from]) => from);
    for (const from of imported) expect(from, name).toMatch(/^\.\/[\w-]+\.ts$/);
    expect(text, name).not.toMatch(/\b(node:|process\.|Buffer\b|require\()/);
  }
  const { dependencies } = JSON.parse(readFileSync(join(root, 'packages/sdk/package.json'), 'utf8'));
  expect(dependencies).toBeUndefined();
});
