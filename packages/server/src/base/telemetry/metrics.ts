import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { subscribe } from './metrics-channel.ts';

const milliseconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Metrics of this process for Prometheus. Those that come from the database are added when it scrapes. */
export class Metrics {
  readonly registry = new Registry();
  readonly #stops: (() => void)[];

  readonly requestSeconds = new Histogram({
    name: 'holdfast_http_request_seconds',
    help: 'Time to answer a request, by route.',
    labelNames: ['method', 'route', 'status'],
    buckets: milliseconds,
    registers: [this.registry],
  });

  constructor() {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    const claimSeconds = new Histogram({
      name: 'holdfast_claim_seconds',
      help: 'Time of one claim, including empty ones.',
      buckets: milliseconds,
      registers,
    });
    const claimed = new Counter({
      name: 'holdfast_jobs_claimed_total',
      help: 'Jobs claimed by this worker.',
      labelNames: ['kind'],
      registers,
    });
    const checkpointSeconds = new Histogram({
      name: 'holdfast_checkpoint_seconds',
      help: 'Time to save a crawl checkpoint.',
      buckets: milliseconds,
      registers,
    });
    const pages = new Counter({
      name: 'holdfast_pages_total',
      help: 'Pages saved by crawls of this worker, by outcome.',
      labelNames: ['outcome'],
      registers,
    });
    const expiries = new Counter({
      name: 'holdfast_lease_expiries_total',
      help: 'Expired leases ended by the watchdog of this worker, by the resulting job status.',
      labelNames: ['status'],
      registers,
    });
    const deaths = new Counter({
      name: 'holdfast_runner_deaths_total',
      help: 'Runner processes that died while running jobs, by error code.',
      labelNames: ['code'],
      registers,
    });
    const deliveries = new Counter({
      name: 'holdfast_webhook_deliveries_total',
      help: 'Webhook delivery attempts of this worker, by outcome: failed attempts are retried, dead ones are not.',
      labelNames: ['outcome'],
      registers,
    });
    const renderSeconds = new Histogram({
      name: 'holdfast_render_seconds',
      help: 'Time to render a page, by outcome: rendered, or an error code.',
      labelNames: ['outcome'],
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
      registers,
    });
    const renderBytes = new Counter({
      name: 'holdfast_render_bytes_total',
      help: 'Bytes that rendered pages loaded, besides the pages themselves.',
      registers,
    });
    const browserStarts = new Counter({
      name: 'holdfast_browser_starts_total',
      help: 'Browsers started; replaced ones count again.',
      registers,
    });
    const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
    const browsers = gauge('holdfast_browsers', 'Browsers that run on this worker.');
    const browserMemory = gauge('holdfast_browser_memory_bytes', 'Memory of these browsers.');
    const renderQueue = gauge('holdfast_render_queue', 'Pages that wait for a browser.');
    this.#stops = [
      subscribe('claim', ({ seconds, kinds }) => {
        claimSeconds.observe(seconds);
        for (const kind of kinds) claimed.inc({ kind });
      }),
      subscribe('checkpoint', (saved) => {
        checkpointSeconds.observe(saved.seconds);
        for (const [outcome, count] of Object.entries(saved.pages)) pages.inc({ outcome }, count);
      }),
      subscribe('leaseExpiry', ({ status }) => expiries.inc({ status })),
      subscribe('runnerDeath', ({ code }) => deaths.inc({ code })),
      subscribe('render', ({ seconds, outcome, bytes }) => {
        renderSeconds.observe({ outcome }, seconds);
        renderBytes.inc(bytes);
      }),
      subscribe('browserStart', () => browserStarts.inc()),
      subscribe('browsers', ({ running, memoryBytes, waiting }) => {
        browsers.set(running);
        browserMemory.set(memoryBytes);
        renderQueue.set(waiting);
      }),
      subscribe('delivery', ({ outcome }) => deliveries.inc({ outcome })),
    ];
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }
}
