import type { ReactNode } from 'react';
import { Notice } from '../../design/notice.tsx';
import { OutsideLink } from '../../design/outside-link.tsx';
import styles from './markdown-view.module.css';

/** Markdown to look at: headings, lists, code, tables as blocks; links that lead to the web. Every piece of text stays text. */
export function MarkdownView({ text }: { readonly text: string | null }) {
  if (!text) return <Notice title="This page has no content" />;
  return <div className={styles.markdown}>{blocksOf(text).map(renderBlock)}</div>;
}

interface Block {
  readonly kind: 'heading' | 'list' | 'code' | 'quote' | 'table' | 'text';
  readonly lines: string[];
}

const fence = /^\s*(`{3,}|~{3,})/;

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: string | undefined;
  for (const line of text.split('\n')) {
    const last = blocks.at(-1);
    if (open !== undefined) {
      if (line.trim().startsWith(open)) open = undefined;
      else last?.lines.push(line);
      continue;
    }
    const [, mark] = fence.exec(line) ?? [];
    if (mark) {
      open = mark;
      blocks.push({ kind: 'code', lines: [] });
      continue;
    }
    if (line.trim() === '') {
      blocks.push({ kind: 'text', lines: [] });
      continue;
    }
    const kind = kindOf(line);
    if (last && last.kind === kind && kind !== 'heading' && last.lines.length > 0) last.lines.push(line);
    else blocks.push({ kind, lines: [line] });
  }
  return blocks.filter(({ kind, lines }) => kind === 'code' || lines.length > 0);
}

function kindOf(line: string): Block['kind'] {
  if (/^#{1,6}\s/.test(line)) return 'heading';
  if (/^\s*([-*+]|\d+[.)])\s/.test(line)) return 'list';
  if (/^\s*>/.test(line)) return 'quote';
  if (/^\s*\|/.test(line)) return 'table';
  return 'text';
}

function renderBlock({ kind, lines }: Block, index: number): ReactNode {
  switch (kind) {
    case 'heading':
      return (
        <p key={index} className={styles.heading} data-level={/^#+/.exec(lines[0] ?? '')?.[0].length}>
          {inline((lines[0] ?? '').replace(/^#+\s*/, ''))}
        </p>
      );
    case 'code':
      return <pre key={index}>{lines.join('\n')}</pre>;
    case 'table':
      return <pre key={index}>{lines.join('\n')}</pre>;
    case 'list':
      return (
        <ul key={index}>
          {lines.map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <li key={at}>{inline(line.replace(/^\s*([-*+]|\d+[.)])\s/, ''))}</li>
          ))}
        </ul>
      );
    default:
      return (
        <p key={index} className={kind === 'quote' ? styles.quote : undefined}>
          {inline(lines.map((line) => line.replace(/^\s*>\s?/, '')).join(' '))}
        </p>
      );
  }
}

const link = /!?\[([^\]]{0,500})\]\(<?([^)\s>]{1,2000})>?(?:\s+"[^"]*")?\)/g;

/** Links become links; backslashes before punctuation go. */
function inline(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(link)) {
    parts.push(plain(text.slice(end, match.index)));
    parts.push(
      <OutsideLink key={match.index} url={match[2] ?? ''} text={plain(match[1] || (match[2] ?? ''))} />,
    );
    end = match.index + match[0].length;
  }
  parts.push(plain(text.slice(end)));
  return parts;
}

function plain(text: string): string {
  return text.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1').replaceAll(/\*\*|__/g, '');
}
