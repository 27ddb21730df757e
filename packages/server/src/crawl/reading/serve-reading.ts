import { parentPort, workerData } from 'node:worker_threads';
import type { PageContent } from '../../pages/stored/page.ts';
import type { ReadOptions, readBody } from './read-body.ts';
import type { ReadBody } from './read-result.ts';

/** A compromise: the main thread neither waits for a whole batch nor wakes for every page. */
const answersAtOnce = 4;

/** Runs in the reading thread: reads each task and answers in order. */
export function serveReading(read: typeof readBody): void {
  const { options, begun } = workerData as ReadingData;
  parentPort?.on('message', (tasks: readonly ReadTask[]) => {
    let answers: ReadAnswer[] = [];
    for (const task of tasks) {
      Atomics.add(begun, 0, 1);
      answers.push(answerTo(task));
      if (answers.length < answersAtOnce) continue;
      send(answers);
      answers = [];
    }
    if (answers.length > 0) send(answers);
  });
  parentPort?.postMessage('ready');

  function answerTo({ url, contentType, body, baselineHash, isRendered }: ReadTask): ReadAnswer {
    try {
      return withOwnBytes(
        read(url, contentType, Buffer.from(body.buffer), options, baselineHash, isRendered),
      );
    } catch (error) {
      return { failure: (error as Error).message };
    }
  }
}

function withOwnBytes({ page, ...read }: ReadBody): ReadBody {
  const { content } = page;
  const own: PageContent = {
    links: exactBytes(content.links),
    markdown: exactBytes(content.markdown),
    html: exactBytes(content.html),
  };
  return { page: { ...page, content: own }, ...read };
}

function send(answers: readonly ReadAnswer[]): void {
  const buffers = answers.flatMap((answer) =>
    'failure' in answer
      ? []
      : Object.values(answer.page.content).flatMap((bytes) => (bytes ? [bytes.buffer] : [])),
  );
  parentPort?.postMessage(answers, buffers as ArrayBuffer[]);
}

/** What the thread starts with. */
export interface ReadingData {
  readonly options: ReadOptions;
  /** Shared memory: the number of tasks it has started. */
  readonly begun: Int32Array;
}

export interface ReadTask {
  readonly url: string;
  readonly contentType: string | undefined;
  /** The whole of its buffer, which is transferred. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Hash of the page in the baseline of a recrawl. */
  readonly baselineHash: string | null | undefined;
  /** Links to hash routes lead to separate pages. */
  readonly isRendered: boolean;
}

/** The answer to the oldest unanswered task. */
export type ReadAnswer = ReadBody | { readonly failure: string };

/** Copies into a buffer of its own: transferring a part of a buffer would transfer all of it. */
function exactBytes(bytes: Buffer | null): Buffer<ArrayBuffer> | null {
  if (bytes === null) return null;
  const own = new Uint8Array(bytes.length);
  own.set(bytes);
  return Buffer.from(own.buffer);
}
