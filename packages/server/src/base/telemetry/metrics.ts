import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { hear } from './metrics-channel.ts';

const milliseconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What this process counts by itself, in the form that Prometheus reads. What the database knows is added when it asks. */
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
      help: 'Time of one claim, whatever it brought.',
      buckets: milliseconds,
      registers,
    });
    const claimed = new Counter({
      name: 'holdfast_jobs_claimed_total',
      help: 'Jobs that this worker has claimed.',
      labelNames: ['kind'],
      registers,
    });
    const checkpointSeconds = new Histogram({
      name: 'holdfast_checkpoint_seconds',
      help: 'Time to save a checkpoint of a crawl.',
      buckets: milliseconds,
      registers,
    });
    const pages = new Counter({
      name: 'holdfast_pages_total',
      help: 'Pages that crawls of this worker have saved, by outcome.',
      labelNames: ['outcome'],
      registers,
    });
    const expiries = new Counter({
      name: 'holdfast_lease_expiries_total',
      help: 'Leases that ran out and were ended by the watchdog of this worker, by what became of the job.',
      labelNames: ['status'],
      registers,
    });
    const deaths = new Counter({
      name: 'holdfast_runner_deaths_total',
      help: 'Runner processes that died with their jobs, by error code.',
      labelNames: ['code'],
      registers,
    });
    const deliveries = new Counter({
      name: 'holdfast_webhook_deliveries_total',
      help: 'Attempts of this worker to deliver to webhooks, by outcome; failed ones are tried again, dead ones not.',
      labelNames: ['outcome'],
      registers,
    });
    this.#stops = [
      hear('claim', ({ seconds, kinds }) => {
        claimSeconds.observe(seconds);
        for (const kind of kinds) claimed.inc({ kind });
      }),
      hear('checkpoint', (saved) => {
        checkpointSeconds.observe(saved.seconds);
        for (const [outcome, count] of Object.entries(saved.pages)) pages.inc({ outcome }, count);
      }),
      hear('leaseExpiry', ({ status }) => expiries.inc({ status })),
      hear('runnerDeath', ({ code }) => deaths.inc({ code })),
      hear('delivery', ({ outcome }) => deliveries.inc({ outcome })),
    ];
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }
}
