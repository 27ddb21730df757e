import { readPage } from './markdown-files.ts';

export interface ShellBlock {
  readonly page: string;
  /** The heading above it. */
  readonly heading: string;
  readonly text: string;
  /** Each is one command, however many lines it takes. */
  readonly commands: readonly string[];
}

/** The fenced blocks of a page with this word behind the fence: `sh` is run by the tests, `console` is not. */
export function shellBlocks(page: string, language: 'sh' | 'console' = 'sh'): ShellBlock[] {
  const blocks: ShellBlock[] = [];
  let heading = '';
  const fences = /^#{1,6} +(.+)$|^( *)```(\S*)\n([\s\S]*?)^ *```$/gm;
  for (const [, title, indent = '', info, body = ''] of readPage(page).matchAll(fences)) {
    if (title !== undefined) heading = title;
    if (info !== language) continue;
    const text = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    blocks.push({ page, heading, text, commands: commandsIn(text) });
  }
  return blocks;
}

/** A command goes on behind a backslash, and while a quotation is open. */
function commandsIn(text: string): string[] {
  const commands: string[] = [];
  let open = '';
  for (const line of text.split('\n')) {
    const isNew = open === '';
    if (isNew && (line.trim() === '' || line.startsWith('#'))) continue;
    open += isNew ? line : `\n${line}`;
    const isQuoted = (open.match(/'/g) ?? []).length % 2 === 1;
    if (isQuoted || line.endsWith('\\')) continue;
    commands.push(open);
    open = '';
  }
  if (open) throw new Error(`a command has no end: ${open}`);
  return commands;
}
