import { readFileSync } from 'node:fs';

/** The examples of the document that the bots' dialect comes from, word for word. */
const text = readFileSync(new URL('document-examples.md', import.meta.url), 'utf8');

export interface DocumentExample {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly answer: { success: boolean; data: Record<string, unknown> };
}

/** Each `curl` with its answer. The answers have comments in them. */
export const documentExamples: readonly DocumentExample[] = [
  ...text.matchAll(
    /curl -X POST http:\/\/localhost:8000(\S+) \\\n\s*-H "([^:]+): ([^"]+)" \\\n\s*-d '([^']+)'\n\n# Response[^\n]*\n(\{.*?\n\})/gs,
  ),
].map(([, url = '', name = '', value = '', body = '', answer = '']) => ({
  url,
  headers: { [name]: value },
  body,
  answer: JSON.parse(answer.replaceAll(/\s+# .*/g, '')),
}));
