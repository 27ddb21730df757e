import { type ChildProcess, fork } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import type { ErrorCode } from '@holdfast/contract';
import type { Logger } from 'pino';
import { processorTime } from '../../base/process/process-info.ts';
import { publish } from '../../base/telemetry/metrics-channel.ts';
import { InFlightFile } from '../../crawl/run/in-flight-file.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import type { StopReason } from '../../queue/jobs/end-run.ts';
import { type FromRunner, machineNow, type RunnerKind, type ToRunner } from '../runner/messages.ts';

export interface RunnerOptions {
  readonly program: string;
  readonly databaseUrl: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  readonly memoryMb: number;
  /** Its first request is about to leave. */
  readonly onAsking?: () => void;
  /** It has a page to render and reaches no browser host. */
  readonly onNeedBrowser?: () => void;
  /** Makes it a pooled runner; called when one of its jobs has ended. */
  readonly onPooledEnd?: (id: string, fence: number, status: string) => void;
}

/** How a runner process ended: having handed over its job, or with it. */
export interface RunnerExit {
  readonly handedOver: boolean;
  /** False when there was no process at all: the machine's fault, not the job's. */
  readonly started: boolean;
  /** It died by itself before its first request, or never existed: the worker is to blame (ADR 24). */
  readonly startFailed: boolean;
  readonly startedAt: number;
  /** Set when it was told to stop before it had its job, which can be given back unchanged. */
  readonly dismissed: StopReason | undefined;
  readonly code: ErrorCode;
  readonly detail: string;
  /** The detail with its last output, for operators. */
  readonly why: string;
}

/** Time for a process to start, during which it cannot tick; a busy machine takes seconds. */
const startMs = 15_000;

/** One runner process, from its start to its end. It runs one crawl, or many short jobs. */
export class RunnerProcess {
  readonly exited: Promise<RunnerExit>;
  /** The database it was given. */
  readonly databaseUrl: string;
  readonly startedAt = performance.now();
  readonly #child: ChildProcess | undefined;
  readonly #log: Logger;
  readonly #onPooledEnd: RunnerOptions['onPooledEnd'];
  #job: ClaimedJob | undefined;
  #lastTick = performance.now() + startMs;
  #processorMsAtTick = 0;
  #rssBytes = 0;
  #inFlightFile: InFlightFile | undefined;
  #inFlight: readonly string[] = [];
  #isReady = false;
  #hasAsked = false;
  #hasJob = false;
  readonly #onAsking: (() => void) | undefined;
  readonly #onNeedBrowser: (() => void) | undefined;
  /** The job it gets when it is ready, and its lease by our monotonic clock. */
  #waiting: { readonly job: ClaimedJob; leaseEnds: number } | undefined;
  #handedOver = false;
  #dismissed: StopReason | undefined;
  #killedFor: { code: ErrorCode; detail: string } | undefined;
  #lastWords = '';

  constructor(options: RunnerOptions) {
    this.#log = options.log;
    this.#onPooledEnd = options.onPooledEnd;
    this.#onAsking = options.onAsking;
    this.#onNeedBrowser = options.onNeedBrowser;
    this.databaseUrl = options.databaseUrl;
    let child: ChildProcess;
    try {
      this.#inFlightFile = InFlightFile.open();
      child = start(options, this.#inFlightFile?.descriptor);
    } catch (error) {
      this.exited = Promise.resolve(this.#exit(`could not start: ${(error as Error).message}`));
      return;
    }
    this.#child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#keepOutput(text));
    child.on('message', (message) => this.#receive(message as FromRunner));
    this.exited = new Promise((resolve) => {
      child.on('error', (error) => {
        if (child.pid === undefined) resolve(this.#exit(`could not start: ${error.message}`));
      });
      child.once('close', (code, signal) => resolve(this.#exit(signal ?? `exit code ${code}`)));
    });
  }

  get job(): ClaimedJob | undefined {
    return this.#job;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get hasEnded(): boolean {
    return this.#child === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  get rssBytes(): number {
    return this.#rssBytes;
  }

  /** url_hash of every request in flight when the process ended. */
  get inFlight(): readonly string[] {
    return this.#inFlight;
  }

  get msSinceTick(): number {
    return performance.now() - this.#lastTick;
  }

  /** Whether it has reached its first request, or the end of a run. */
  get hasAsked(): boolean {
    return this.#hasAsked;
  }

  /** Whether it wants to run, and has had less CPU time than this since its last sign of life. */
  isStarved(lessThanMs: number): boolean {
    const time = processorTime(this.pid);
    return time?.wantsMore === true && time.ms - this.#processorMsAtTick < lessThanMs;
  }

  run(job: ClaimedJob, leaseMs: number): void {
    this.#job = job;
    this.#hasJob = true;
    this.#lastTick = Math.max(this.#lastTick, performance.now());
    this.#waiting = { job, leaseEnds: performance.now() + leaseMs };
    if (this.#isReady) this.#begin();
  }

  #begin(): void {
    if (!this.#waiting) return;
    const { job, leaseEnds } = this.#waiting;
    const leaseMs = leaseEnds - performance.now();
    // This process stood still, and another holder may have the job: the supervisor ends a run whose lease is over.
    if (leaseMs <= 0) return;
    this.#waiting = undefined;
    this.#send({ type: 'run', job, leaseEndsAt: machineNow() + leaseMs });
  }

  runPooled(job: ClaimedJob, leaseMs: number): void {
    this.#hasJob = true;
    this.#lastTick = Math.max(this.#lastTick, performance.now());
    this.#send({ type: 'runPooled', job, leaseEndsAt: machineNow() + leaseMs });
  }

  renewedPooled({ id, fence }: ClaimedJob, leaseMs: number): void {
    this.#send({ type: 'pooledLease', id, fence, leaseEndsAt: machineNow() + leaseMs });
  }

  stopPooled({ id, fence }: ClaimedJob, reason: StopReason): void {
    this.#send({ type: 'stopPooled', id, fence, reason });
  }

  renewed(leaseMs: number): void {
    if (!this.#waiting) {
      this.#send({ type: 'lease', leaseEndsAt: machineNow() + leaseMs });
      return;
    }
    this.#waiting.leaseEnds = performance.now() + leaseMs;
    // It may have been ready when the old lease had run out.
    if (this.#isReady) this.#begin();
  }

  /** Kills a process that is still starting: it does not have its job yet, and waiting may take seconds. */
  stop(reason: StopReason): void {
    if (!this.#waiting) {
      this.#send({ type: 'stop', reason });
      return;
    }
    this.#waiting = undefined;
    this.#dismissed = reason;
    this.#child?.kill('SIGKILL');
  }

  /** Ends the process at once; its job ends with this error. */
  kill(code: ErrorCode, detail: string): void {
    this.#killedFor ??= { code, detail };
    this.#child?.kill('SIGKILL');
  }

  #send(message: ToRunner): void {
    // A closed channel belongs to a runner that is ending; its exit says the rest.
    if (this.#child?.connected) this.#child.send(message, () => undefined);
  }

  #receive(message: FromRunner): void {
    this.#lastTick = performance.now();
    if (message.type === 'tick' || message.type === 'ready')
      this.#processorMsAtTick = processorTime(this.pid)?.ms ?? 0;
    if (message.type === 'tick') {
      this.#rssBytes = message.rssBytes;
      for (const saved of message.checkpoints) publish('checkpoint', saved);
    }
    if (message.type === 'ready') {
      this.#isReady = true;
      this.#begin();
    }
    if (message.type === 'asking' || message.type === 'ended' || message.type === 'pooledEnded')
      this.#proven();
    if (message.type === 'needBrowser') this.#onNeedBrowser?.();
    if (message.type === 'ended') this.#handedOver = true;
    if (message.type === 'pooledEnded') this.#onPooledEnd?.(message.id, message.fence, message.status);
  }

  #proven(): void {
    if (this.#hasAsked) return;
    this.#hasAsked = true;
    this.#onAsking?.();
  }

  /** Passes on the runner's log lines, and keeps the last output for the error. */
  #keepOutput(text: string): void {
    process.stderr.write(text);
    this.#lastWords = (this.#lastWords + text).slice(-4_000);
  }

  /** Not if we ended it (unless it hung), nor if it was ready and died waiting for a job, which can happen to any process. */
  get #hasFailedToStart(): boolean {
    if (this.#hasAsked || this.#handedOver || this.#dismissed || this.#inFlight.length > 0) return false;
    if (this.#isReady && !this.#hasJob) return false;
    return this.#killedFor === undefined || this.#killedFor.code === 'runner_hung';
  }

  #exit(how: string): RunnerExit {
    this.#inFlight = this.#inFlightFile?.read() ?? this.#inFlight;
    this.#inFlightFile?.close();
    this.#inFlightFile = undefined;
    const outOfMemory = /heap out of memory|Reached heap limit/.test(this.#lastWords);
    const found: { code: ErrorCode; detail: string } = this.#killedFor ?? {
      code: outOfMemory ? 'runner_out_of_memory' : 'runner_crashed',
      detail: how,
    };
    this.#log.debug({ pid: this.pid, how, job: this.#job?.id }, 'A runner ended');
    const started = this.pid !== undefined;
    return {
      handedOver: this.#handedOver,
      started,
      startFailed: this.#hasFailedToStart,
      startedAt: this.startedAt,
      dismissed: this.#dismissed,
      ...found,
      why: [found.detail, lastErrorOf(this.#lastWords)].filter(Boolean).join(': '),
    };
  }
}

/** The error in the last output: what Node said as it died, or the last log line. */
function lastErrorOf(words: string): string | undefined {
  const errors = stripVTControlCharacters(words).match(
    /(?:[A-Z]\w*)?Error(?: \[\w+\])?: [^\n"]+|^[^\n]*node: [^\n]+/gm,
  );
  return errors?.at(0)?.trim().slice(0, 300);
}

/** Throws on systems that report at once that there is no room for another process. */
function start(options: RunnerOptions, inFlight: number | undefined): ChildProcess {
  const { program, env, databaseUrl, memoryMb } = options;
  const kind: RunnerKind = options.onPooledEnd ? 'pooled' : 'crawl';
  return fork(program, [kind], {
    env: { ...env, DATABASE_URL: databaseUrl },
    // The objects of a page live until its checkpoint, so the young heap is larger than usual (ADR 32). The heap limit is below
    // the memory cap, so that V8 reports what happened before the supervisor has to act.
    execArgv: [
      '--max-semi-space-size=8',
      '--heap-growing-percent=60',
      `--max-old-space-size=${Math.floor(memoryMb * 0.75)}`,
    ],
    serialization: 'advanced',
    // The last one is for in-flight-file.ts; without a file, writes are ignored.
    stdio: ['ignore', 'inherit', 'pipe', 'ipc', inFlight ?? 'ignore'],
  });
}
