import { parentPort, workerData } from 'node:worker_threads';
import type { PageContent } from '../../pages/stored/page.ts';
import type { ReadBody, readBody } from './read-body.ts';
import { exactBytes, type ReadAnswer, type ReadingData, type ReadTask } from './reading-messages.ts';

/** The other side should not wait for a whole batch, nor be woken for every page. */
const answersAtOnce = 4;

/** In a reading thread: reads what it is handed, and answers in that order. */
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

  function answerTo({ url, contentType, body, baselineHash }: ReadTask): ReadAnswer {
    try {
      return withOwnBytes(read(url, contentType, Buffer.from(body.buffer), options, baselineHash));
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
