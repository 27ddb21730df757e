import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Every page that the repository keeps, by its path. */
export function markdownFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed.split('\n').filter((path) => path !== '' && existsSync(join(root, path)));
}

export function readPage(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Without what stands in fences: nothing in there is a link or a heading. */
export function withoutFences(text: string): string {
  return text.replaceAll(/^( *)(```+)[^\n]*\n[\s\S]*?^\1\2$/gm, '');
}
