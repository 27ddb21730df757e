import type { Waiting } from '@holdfast/contract';
import { formatAgo } from './format-time.ts';

/** Why a job waits, until when, and what ends it: a paragraph. */
export function waitText(waiting: Waiting): string {
  return `${waitCause(waiting)}. ${waiting.ends}`;
}

/** The same without what ends it. */
function waitCause({ text, until }: Waiting): string {
  return until ? `${text}, until ${until.toISOString()} (${formatAgo(until)})` : text;
}
