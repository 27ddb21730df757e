import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { Worker } from 'node:worker_threads';
import { HoldfastError, type ModuleAdapterConfig, parseUrl } from '@holdfast/contract';
import { refusedLater } from '../../../web/fetch/status-error.ts';
import type { ItemAttributes } from '../../points/match-strength.ts';
import type { Listing } from '../../points/price-point.ts';
import type { Adapter, AdapterContext } from './adapter.ts';
import { makeListing } from './read-answer.ts';

const limits = { maxBytes: 5 * 1024 * 1024, totalMs: 60_000 };
const maxHops = 5;
const maxFetches = 100;

/** The input of a module's thread. */
export interface ModuleTask {
  readonly file: string;
  readonly item: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, string>>;
}

export type FromModule =
  | {
      readonly type: 'fetch';
      readonly id: number;
      readonly url: string;
      readonly headers: Record<string, string>;
    }
  | { readonly type: 'listings'; readonly listings: unknown }
  /** `fetchId`: the request whose failure the module did not catch. */
  | { readonly type: 'failed'; readonly message: string; readonly fetchId: number | undefined };

export type ToModule =
  | {
      readonly type: 'response';
      readonly id: number;
      readonly url: string;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
    }
  | { readonly type: 'refused'; readonly id: number; readonly code: string; readonly message: string };

/** Runs an operator's module in a thread with its own heap and time limit, so that it can break only its own job. */
export const moduleAdapter: Adapter<ModuleAdapterConfig> = async (config, item, context) => {
  const file = await fileIn(context.folder, config.file);
  const listings = await runModule({ file, ...given(config, item, context) }, config, context);
  return readListings(listings, config);
};

/** Resolves the file, symbolic links included, and refuses anything outside the folder. */
async function fileIn(folder: string | undefined, name: string): Promise<string> {
  if (folder === undefined)
    throw new HoldfastError(
      'adapter_invalid',
      'the worker loads no modules: start it with HOLDFAST_ADAPTERS=FOLDER',
    );
  try {
    const [root, file] = await Promise.all([realpath(folder), realpath(join(folder, name))]);
    if (file.startsWith(root + sep)) return file;
  } catch {
    // The file does not exist: same error.
  }
  throw new HoldfastError('adapter_invalid', `${name} is not in the adapters folder`);
}

function given(config: ModuleAdapterConfig, item: ItemAttributes, { secrets }: AdapterContext) {
  const shared = config.secrets.map((name) => {
    const value = secrets[name];
    if (!value) throw new HoldfastError('adapter_secret_missing', name);
    return [name, value] as const;
  });
  return { item, options: config.options, secrets: Object.fromEntries(shared) } satisfies Omit<
    ModuleTask,
    'file'
  >;
}

async function runModule(
  task: ModuleTask,
  { timeout_seconds, memory_mb }: ModuleAdapterConfig,
  context: AdapterContext,
): Promise<unknown> {
  const worker = new Worker(context.moduleProgram, {
    workerData: task,
    // An empty environment keeps the database URL from the module.
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: memory_mb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
  });
  const outside = new ModuleFetches(worker, context);
  try {
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new HoldfastError('run_timed_out', `the adapter module ran for ${timeout_seconds} s`)),
        timeout_seconds * 1000,
      );
      context.signal.addEventListener('abort', () => reject(context.signal.reason), { once: true });
      worker.once('exit', (code) => {
        clearTimeout(timer);
        reject(new HoldfastError('adapter_failed', `it ended without an answer (exit code ${code})`));
      });
      worker.once('error', (error: NodeJS.ErrnoException) => {
        const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
        const detail = isMemory ? `it needs more than ${memory_mb} MB` : String(error?.message ?? error);
        reject(new HoldfastError('adapter_failed', detail));
      });
      worker.on('message', (message: FromModule) => {
        if (message.type === 'listings') resolve(message.listings);
        if (message.type === 'fetch') void outside.answer(message);
        if (message.type === 'failed')
          reject(outside.failure(message.fetchId) ?? new HoldfastError('adapter_failed', message.message));
      });
    });
  } finally {
    void worker.terminate();
  }
}

/** The requests of one module. Keeps their failures, because their class, not the module, decides about a retry. */
class ModuleFetches {
  readonly #worker: Worker;
  readonly #context: AdapterContext;
  readonly #failures = new Map<number, unknown>();
  #count = 0;

  constructor(worker: Worker, context: AdapterContext) {
    this.#worker = worker;
    this.#context = context;
  }

  failure(fetchId: number | undefined): unknown {
    return fetchId === undefined ? undefined : this.#failures.get(fetchId);
  }

  async answer({ id, url, headers }: Extract<FromModule, { type: 'fetch' }>): Promise<void> {
    const { fetcher, leaseEnds, signal, session } = this.#context;
    let reply: ToModule;
    try {
      if (++this.#count > maxFetches)
        throw new HoldfastError('adapter_failed', `it made more than ${maxFetches} requests`);
      const parsed = parseUrl(url);
      if (!parsed) throw new HoldfastError('url_invalid', url);
      const response = await fetcher.fetch(
        { url: parsed.href, headers, limits },
        { leaseEnds, signal, session, maxHops, obeysRobots: false, headersAreSecret: true },
      );
      const later = refusedLater(response);
      if (later) throw later;
      const { status, headers: answered, body } = response;
      reply = {
        type: 'response',
        id,
        url: response.url,
        status,
        headers: answered,
        body: new Uint8Array(body ?? []),
      };
    } catch (error) {
      this.#failures.set(id, error);
      const known = error instanceof HoldfastError ? error : undefined;
      reply = { type: 'refused', id, code: known?.code ?? 'aborted', message: known?.message ?? 'stopped' };
    }
    this.#worker.postMessage(reply);
  }
}

function readListings(listings: unknown, config: ModuleAdapterConfig): Listing[] {
  if (!Array.isArray(listings))
    throw new HoldfastError('adapter_failed', 'it did not return an array of listings');
  return listings.slice(0, config.max_listings).map((fields, at) => {
    // A JavaScript number has already lost digits.
    if (typeof fields !== 'object' || fields === null || typeof fields.price !== 'string')
      throw new HoldfastError('adapter_failed', `the price of listing ${at + 1} is not a string`);
    const raw = JSON.stringify(fields).replaceAll('\\u0000', ' ').toWellFormed();
    const listing = makeListing(fields, config, { raw });
    if (!listing)
      throw new HoldfastError('adapter_failed', `listing ${at + 1} has no readable price and currency`);
    return listing;
  });
}
