import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { Metrics } from '../../packages/server/src/base/telemetry/metrics.ts';
import { publish } from '../../packages/server/src/base/telemetry/metrics-channel.ts';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { ListeningApi } from '../api-fixture/listening-api.ts';
import { freePort } from '../operations/free-port.ts';

const api = new ListeningApi();
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

async function scrape(): Promise<string> {
  const response = await api.request('/metrics');
  expect(response.status).toBe(200);
  return response.text();
}

test('tells Prometheus where the queue stands, to a key that sees every owner', async () => {
  await enqueueJob(api.pool, { kind: 'visit', payload: { url: 'https://example.com/' }, user_id: 'alice' });
  // What one scrape has read serves those of the next seconds as well.
  const text = await vi.waitUntil(
    async () => {
      const scraped = await scrape();
      return scraped.includes('holdfast_jobs{kind="visit",status="pending"} 1') && scraped;
    },
    { timeout: 25_000, interval: 200 },
  );
  expect(text).toMatch(/^holdfast_tuples\{table="crawl_jobs",state="dead"\} \d+$/m);
  expect((await api.json('/metrics', { key: null })).status).toBe(401);
  expect((await api.json('/metrics', { key: await api.key() })).status).toBe(403);
  await vi.waitFor(async () =>
    expect(await scrape()).toMatch(
      /holdfast_http_request_seconds_count\{method="GET",route="\/metrics",status="200"\} \d+/,
    ),
  );
});

test('counts what happens in a process: claims, checkpoints, leases that run out, runners that die, renders, deliveries', async () => {
  const metrics = new Metrics();
  publish('claim', { seconds: 0.004, kinds: ['crawl', 'crawl', 'visit'] });
  publish('checkpoint', { seconds: 0.02, pages: { fetched: 40, failed: 2 } });
  publish('leaseExpiry', { status: 'pending' });
  publish('runnerDeath', { code: 'runner_out_of_memory' });
  publish('delivery', { outcome: 'dead' });
  publish('render', { seconds: 0.3, outcome: 'rendered', bytes: 4000 });
  publish('render', { seconds: 60, outcome: 'render_timeout', bytes: 0 });
  publish('browserStart', {});
  publish('browsers', { running: 1, memoryBytes: 300_000_000, waiting: 2 });
  metrics.close();
  publish('runnerDeath', { code: 'runner_out_of_memory' });
  const text = await metrics.registry.metrics();
  for (const line of [
    'holdfast_claim_seconds_count 1',
    'holdfast_jobs_claimed_total{kind="crawl"} 2',
    'holdfast_checkpoint_seconds_sum 0.02',
    'holdfast_pages_total{outcome="fetched"} 40',
    'holdfast_lease_expiries_total{status="pending"} 1',
    'holdfast_runner_deaths_total{code="runner_out_of_memory"} 1',
    'holdfast_webhook_deliveries_total{outcome="dead"} 1',
    'holdfast_render_seconds_sum{outcome="rendered"} 0.3',
    'holdfast_render_seconds_count{outcome="render_timeout"} 1',
    'holdfast_render_bytes_total 4000',
    'holdfast_browser_starts_total 1',
    'holdfast_browsers 1',
    'holdfast_browser_memory_bytes 300000000',
    'holdfast_render_queue 2',
  ])
    expect(text).toContain(line);
});

test('a worker tells what it counts on a port of its own', async () => {
  const bin = fileURLToPath(new URL('../../packages/server/bin/holdfast.js', import.meta.url));
  const env = { ...process.env, DATABASE_URL: api.databaseUrl, HOLDFAST_METRICS_PORT: `${await freePort()}` };
  const worker = spawn(process.execPath, [bin, 'worker'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    const address = await new Promise<string>((resolve) => {
      let text = '';
      worker.stderr.on('data', (chunk) => {
        text += chunk;
        const [, found] = /Metrics: (http:\S+)\/metrics/.exec(text) ?? [];
        if (found) resolve(found);
      });
    });
    await vi.waitFor(
      async () =>
        expect(await (await fetch(`${address}/metrics`)).text()).toMatch(
          /holdfast_claim_seconds_count [1-9]/,
        ),
      { timeout: 20_000 },
    );
    for (const path of ['/health', '/livez', '/readyz'])
      expect((await fetch(`${address}${path}`)).status).toBe(200);
  } finally {
    worker.kill('SIGTERM');
    await once(worker, 'exit');
  }
});

test('dashboard and alerts ask for nothing that is not told', async () => {
  const told = new Set(
    [...(await scrape()).matchAll(/^# TYPE (\S+) (\S+)/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
  const alerts = read('ops/prometheus/alerts.yml');
  for (const [, name = ''] of alerts.matchAll(/record: (\S+)/g)) told.add(name);
  const asked = `${alerts}${read('ops/grafana/holdfast.json')}`.matchAll(
    /\b(?:holdfast[_:]|process_|nodejs_)[a-z0-9_:]+\b/g,
  );
  const names = [...new Set([...asked].map(([name]) => name))].filter((name) => !told.has(name));
  expect(names).toEqual([]);
});

test('every metric of ours is in the docs', async () => {
  const docs = read('docs/operations.md');
  const names = [...(await scrape()).matchAll(/^# TYPE (holdfast_\S+)/gm)].map(([, name]) => name ?? '');
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((name) => !docs.includes(`\`${name}\``))).toEqual([]);
});
