import type { ReactNode } from 'react';
import { Notice } from '../../design/notice.tsx';
import { OutsideLink } from '../../design/outside-link.tsx';
import styles from './markdown-view.module.css';

/** Renders markdown: headings, lists, code, tables and web links. Text is never interpreted as HTML. */
export function MarkdownView({ text }: { readonly text: string | null }) {
  if (!text) return <Notice title="This page has no content" />;
  return <div className={styles.markdown}>{blocksOf(text).map(renderBlock)}</div>;
}

interface Block {
  readonly kind: 'heading' | 'list' | 'numbered' | 'code' | 'quote' | 'table' | 'rule' | 'text';
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
  if (/^\s*([-*_])\s*(\1\s*){2,}$/.test(line)) return 'rule';
  if (/^\s*[-*+]\s/.test(line)) return 'list';
  if (/^\s*\d+[.)]\s/.test(line)) return 'numbered';
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
      return <Table key={index} lines={lines} />;
    case 'rule':
      return <hr key={index} />;
    case 'list':
      return <ul key={index}>{items(lines)}</ul>;
    case 'numbered':
      // A block between two items, such as code, ends the list; the next list continues with its own number.
      return (
        <ol key={index} start={Number.parseInt(lines[0] ?? '', 10)}>
          {items(lines)}
        </ol>
      );
    default:
      return (
        <p key={index} className={kind === 'quote' ? styles.quote : undefined}>
          {inline(lines.map((line) => line.replace(/^\s*>\s?/, '')).join(' '))}
        </p>
      );
  }
}

function items(lines: readonly string[]): ReactNode[] {
  return lines.map((line, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: as above
    <li key={at}>{inline(line.replace(/^\s*([-*+]|\d+[.)])\s/, ''))}</li>
  ));
}

/** Wide tables scroll in their frame. */
function Table({ lines }: { readonly lines: readonly string[] }) {
  const rows = lines.map((line) =>
    line
      .trim()
      .replaceAll(/^\||(?<!\\)\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
  const [head = [], ...rest] = rows.filter((cells) => !cells.every((cell) => /^:?-+:?$/.test(cell)));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section className={styles.table} tabIndex={0} aria-label="Table">
      <table>
        <thead>
          <tr>{head.map((cell, at) => cellOf('th', cell, at))}</tr>
        </thead>
        <tbody>
          {rest.map((cells, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the text does not change while it is shown
            <tr key={at}>{cells.map((cell, column) => cellOf('td', cell, column))}</tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function cellOf(Cell: 'th' | 'td', text: string, at: number): ReactNode {
  return <Cell key={at}>{inline(text)}</Cell>;
}

const piece =
  /`([^`]{1,500})`|\*\*([^*]{1,500})\*\*|!?\[([^\]]{0,500})\]\(<?([^)\s>]{1,2000})>?(?:\s+"[^"]*")?\)/g;

/** Renders links, code and bold text, and removes backslashes before punctuation. */
function inline(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(piece)) {
    const [all, code, bold, label, url = ''] = match;
    const key = match.index;
    parts.push(plain(text.slice(end, key)));
    if (code !== undefined) parts.push(<code key={key}>{code}</code>);
    else if (bold !== undefined) parts.push(<strong key={key}>{inline(bold)}</strong>);
    else parts.push(<OutsideLink key={key} url={url} text={plain(label || url)} />);
    end = key + all.length;
  }
  parts.push(plain(text.slice(end)));
  return parts;
}

function plain(text: string): string {
  return text.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1').replaceAll(/\*\*|__/g, '');
}
