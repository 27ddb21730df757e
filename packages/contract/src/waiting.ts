import { z } from 'zod';
import { timestamp } from './api/timestamp.ts';

/**
 * Why a job waits, stated once: the API, the command line and the console show these words. docs/lifecycle.md is generated from
 * this table.
 */
export const waitReasons = {
  schedule: 'its scheduled start',
  retry: 'its next retry, after an error',
  host: 'a host that allows no request now: rate limit, Retry-After, repeated failures, an unreachable robots.txt or a proxy that failed',
  source: 'a source that an operator paused or disabled',
  origin: 'a worker that may fetch the private-network origins it needs',
  worker: 'a worker with room for it',
  bot: 'a bot to pull it',
} as const;
export type WaitReason = keyof typeof waitReasons;
export const waitReasonNames = Object.keys(waitReasons) as WaitReason[];

/**
 * Why a host allows no request.
 * operator, disabled  somebody paused or disabled its source
 * failures            the circuit breaker is open
 * retry_after         the host asked for it
 * limit               a delay, a rate limit, or the one request that probes a host after failures
 * robots              its robots.txt is unreachable
 * proxy               its proxy is paused after failures
 * tries               its failed URLs are retried later
 */
export const hostCauses = [
  'operator',
  'disabled',
  'failures',
  'retry_after',
  'limit',
  'robots',
  'proxy',
  'tries',
] as const;
export type HostCause = (typeof hostCauses)[number];

/** Causes that go away when the source is resumed or enabled. */
export const pauseCauses: readonly HostCause[] = ['operator', 'disabled', 'failures', 'retry_after'];

/** Why no worker takes a job that is ready. */
export type WorkerShortage = 'none' | 'other kinds' | 'sick' | 'busy';

export type WaitFacts =
  | { readonly reason: 'schedule' | 'bot' }
  | { readonly reason: 'retry'; readonly retry: string; readonly error: string }
  | {
      readonly reason: 'host' | 'source';
      readonly cause: HostCause;
      readonly host: string | null;
      /** How many more hosts it waits for. */
      readonly others: number;
      readonly sourceId: string | null;
      /** Of a retry: which one, and the error. */
      readonly retry?: string | undefined;
      readonly error?: string | undefined;
    }
  | { readonly reason: 'origin'; readonly origins: readonly string[] }
  | { readonly reason: 'worker'; readonly shortage: WorkerShortage };

export interface WaitWords {
  /** What it waits for, and why; "until …" can follow. */
  readonly text: string;
  /** What ends the wait, and how to end it early. */
  readonly ends: string;
}

/** The words for a wait. `id`: of the job, for the commands in them. */
export function describeWait(facts: WaitFacts, id: string): WaitWords {
  const runNow = `\`holdfast jobs run-now ${id}\``;
  switch (facts.reason) {
    case 'schedule':
      return { text: 'Waits for its scheduled start', ends: `${runNow} starts it now.` };
    case 'retry':
      return {
        text: `Waits for ${facts.retry}: ${facts.error}`,
        ends: `It retries by itself; ${runNow} retries now.`,
      };
    case 'host':
    case 'source':
      return describeHost(facts, runNow);
    case 'origin': {
      const origins = facts.origins.join(', ');
      const setting = `HOLDFAST_ALLOW_PRIVATE=${facts.origins.join(',')}`;
      return {
        text: `Needs ${origins} on a private network, and no running worker may fetch that`,
        ends: `Start a worker that may: \`${setting} holdfast worker\`, or \`${setting} holdfast up\`. For a crawl on this machine: \`holdfast crawl URL ${facts.origins.map((origin) => `--allow-private ${origin}`).join(' ')}\`.`,
      };
    }
    case 'worker':
      return shortages[facts.shortage];
    case 'bot':
      return {
        text: 'Waits for a bot',
        ends: 'The next bot that pulls gets it; docs/bots.md explains how to write one.',
      };
  }
}

const shortages: Readonly<Record<WorkerShortage, WaitWords>> = {
  none: {
    text: 'Waits for a worker: no worker is running',
    ends: 'Start one: `holdfast worker` or `holdfast up`.',
  },
  'other kinds': {
    text: 'Waits for a worker: none of those running takes jobs of this kind',
    ends: 'Start one that does: MAX_CONCURRENT_JOBS is for crawls, MAX_CONCURRENT_VISITS for visits and collections.',
  },
  sick: {
    text: 'Waits for a worker: those running are sick and have stopped claiming jobs',
    ends: '`holdfast doctor` says what is wrong; they recover by themselves once it is fixed.',
  },
  busy: {
    text: 'Waits for a worker: all are busy with other jobs',
    ends: 'It starts when one has room, highest priority first. To add room, start more workers or raise MAX_CONCURRENT_JOBS.',
  },
};

type HostFacts = Extract<WaitFacts, { readonly cause: HostCause }>;

function describeHost({ cause, host, others, sourceId, retry, error }: HostFacts, runNow: string): WaitWords {
  const where = host ?? (sourceId === null ? 'its host' : `source ${sourceId}`);
  const source = host === null ? 'it' : `source ${sourceId}`;
  const more = others > 0 ? ` and ${others} more ${others === 1 ? 'host' : 'hosts'}` : '';
  const waits = `Waits for ${where}${more}`;
  const resume = sourceId === null ? runNow : `\`holdfast sources resume ${sourceId}\``;
  switch (cause) {
    case 'operator':
      return {
        text: `${waits}: an operator paused ${source}`,
        ends: `${resume} resumes the source and starts the job.`,
      };
    case 'disabled':
      return {
        text: `${waits}: ${source} is disabled`,
        ends: `\`holdfast sources set ${sourceId} --enable\` enables the source and starts the job.`,
      };
    case 'failures':
      return {
        text: `${waits}: paused after repeated failures`,
        ends: `Then one request tests whether it has recovered; ${runNow} sends that request now.`,
      };
    case 'retry_after':
      return {
        text: `${waits}: the site asked for a pause (Retry-After)`,
        ends: `It continues by itself; ${resume} ends the pause early.`,
      };
    case 'limit':
      return {
        text: `${waits}: its rate limit or delay allows no request yet`,
        ends: `It continues by itself${sourceId === null ? '' : `; \`holdfast sources show ${sourceId}\` shows the limits`}.`,
      };
    case 'robots':
      return {
        text: `${waits}${retry ? ` (${retry})` : ''}: ${error ?? 'its robots.txt is unreachable'}`,
        ends: `It retries by itself; ${runNow} retries now.`,
      };
    case 'proxy':
      return {
        text: `${waits}${retry ? ` (${retry})` : ''}: ${error ?? 'its proxy is paused after failures'}`,
        ends: `It retries by itself; \`holdfast proxies list\` shows what is wrong, and ${runNow} retries now.`,
      };
    case 'tries':
      return {
        text: `${waits}: its remaining URLs failed and are retried later`,
        ends: `It continues by itself; ${runNow} continues now.`,
      };
  }
}

export const waiting = z
  .object({
    reason: z.enum(waitReasonNames).describe('what the job waits for'),
    text: z.string().describe('description of the wait'),
    until: timestamp
      .nullable()
      .describe('when it continues by itself; null: only what `ends` names ends the wait'),
    ends: z.string().describe('what ends the wait, and how to end it early'),
    cause: z
      .enum(hostCauses)
      .nullable()
      .describe('for the reasons host and source: why the host allows no request'),
    host: z.string().nullable().describe('for the reasons host and source: the host it waits for'),
    source_id: z.string().nullable().describe('for the reasons host and source: the source of that host'),
  })
  .meta({ id: 'Waiting' });
/** Inside, with Dates. */
export type Waiting = z.output<typeof waiting>;
