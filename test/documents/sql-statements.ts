import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The one change with which a statement runs, where it does not run as printed. docs/source-documents.md names it. */
const changes: Record<string, readonly (readonly [printed: string, ours: string])[]> = {
  '000.3': [['ON ...', 'ON crawl_jobs.id = crawl_states.job_id']],
  '002.3': [['WHERE ...', "WHERE status = 'processing'"]],
  '004.1': [
    ['next_run_at TIMESTAMP,\n  ...\n', 'next_run_at TIMESTAMP\n'],
    ['UUID FOREIGN KEY,\n  ...\n', 'UUID REFERENCES crawl_policy\n'],
  ],
};

const file = fileURLToPath(new URL('sql-statements.md', import.meta.url));

/** By document and place in it: what it prints, with the change. */
export const statements = new Map(
  [...readFileSync(file, 'utf8').matchAll(/^## (\S+)\n\n```sql\n([\s\S]*?)\n```$/gm)].map(
    ([, name = '', printed = '']) => {
      const text = (changes[name] ?? []).reduce((changed, [from, to]) => {
        if (!changed.includes(from)) throw new Error(`${name} does not say ${from}`);
        return changed.replace(from, to);
      }, printed);
      return [name, text] as const;
    },
  ),
);

export function statement(name: string): string {
  const text = statements.get(name);
  if (text === undefined) throw new Error(`sql-statements.md has no ${name}`);
  return text;
}
