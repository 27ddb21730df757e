// The thread in which a runner reads documents.
import { parentPort, workerData } from 'node:worker_threads';
import { HoldfastError } from '@holdfast/contract';
import { limitTypedArrays } from '../../web/documents/pdf/byte-budget.ts';
import { readPdf } from '../../web/documents/pdf/read-pdf.ts';
import type { DocumentAnswer, DocumentThreadData } from './document-reading.ts';

const { readingMs, maxBytes } = workerData as DocumentThreadData;
const budget = limitTypedArrays(maxBytes);

parentPort?.on('message', async (body: Uint8Array) => {
  parentPort?.postMessage(await answerTo(body));
});

async function answerTo(body: Uint8Array): Promise<DocumentAnswer> {
  budget.begin();
  try {
    return await readPdf(body, { readingMs, maxPages: 5_000, isOverBudget: () => budget.isOver });
  } catch (error) {
    if (error instanceof HoldfastError) return { code: error.code, detail: error.detail };
    return { code: 'page_unreadable', detail: (error as Error).message };
  }
}
