// The thread of an adapter module: loads the operator's file, passes it the item and sends back its listings. The module's only
// way out is `fetch` below, which the runner serves through the governor.
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { FromModule, ModuleTask, ToModule } from './module-adapter.ts';

interface Waiting {
  readonly resolve: (response: Extract<ToModule, { type: 'response' }>) => void;
  readonly reject: (error: Error) => void;
}

const port = parentPort;
if (!port) throw new Error('a module runs in a thread of a runner');
const { file, item, options, secrets } = workerData as ModuleTask;
const waiting = new Map<number, Waiting>();
let count = 0;

const send = (message: FromModule) => port.postMessage(message);

port.on('message', (message: ToModule) => {
  const asked = waiting.get(message.id);
  waiting.delete(message.id);
  if (message.type === 'response') asked?.resolve(message);
  else asked?.reject(Object.assign(new Error(message.message), { code: message.code, fetchId: message.id }));
});

/** A subset of the global fetch. Waits until the governor permits the request; 429 and 5xx are errors. */
async function fetch(url: string | URL, { headers = {} }: { headers?: Record<string, string> } = {}) {
  const id = ++count;
  const answer = await new Promise<Extract<ToModule, { type: 'response' }>>((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    send({ type: 'fetch', id, url: String(url), headers: { ...headers } });
  });
  const text = () => new TextDecoder().decode(answer.body);
  return {
    url: answer.url,
    status: answer.status,
    ok: answer.status >= 200 && answer.status < 300,
    headers: answer.headers,
    bytes: () => answer.body,
    text,
    json: () => JSON.parse(text()) as unknown,
  };
}

try {
  const { default: collect } = await import(pathToFileURL(file).href);
  if (typeof collect !== 'function') throw new Error('the module has no function as its default export');
  const listings: unknown = await collect(item, { fetch, options, secrets });
  send({ type: 'listings', listings: JSON.parse(JSON.stringify(listings ?? [])) });
} catch (error) {
  const { message = String(error), fetchId } = (error ?? {}) as { message?: string; fetchId?: number };
  send({ type: 'failed', message, fetchId });
}
