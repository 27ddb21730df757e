import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { markdownFiles, readPage, root, withoutFences } from './markdown-files.ts';

/** The anchors of a page, made of its headings as GitHub makes them. */
function anchorsOf(path: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutFences(readPage(path)).matchAll(/^#{1,6} +(.+?)\s*$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const slug = plain
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    anchors.add(times === 0 ? slug : `${slug}-${times}`);
  }
  return anchors;
}

function deadLinks(path: string): string[] {
  const text = withoutFences(readPage(path)).replaceAll(/`[^`\n]*`/g, '');
  const targets = [...text.matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)].map(([, target = '']) => target);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target) && isDead(path, target))
    .map((target) => `${path}: ${target}`);
}

function isDead(path: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const found = file === '' ? path : relative(root, join(root, dirname(path), decodeURIComponent(file)));
  if (!existsSync(join(root, found))) return true;
  if (anchor === undefined || statSync(join(root, found)).isDirectory()) return false;
  return found.endsWith('.md') && !anchorsOf(found).has(anchor);
}

test('no link between the pages is dead, neither to a file nor to a heading', () => {
  const files = markdownFiles();
  expect(files.length).toBeGreaterThan(20);
  expect(files.flatMap(deadLinks)).toEqual([]);
});

test('every page of docs is reached from its index', () => {
  const index = readPage('docs/README.md');
  const linked = new Set([...index.matchAll(/\]\(([^)#]+)/g)].map(([, target = '']) => join('docs', target)));
  const pages = markdownFiles().filter((path) => /^docs\/(?!adr\/|README)/.test(path));
  expect(pages.filter((path) => !linked.has(path))).toEqual([]);
});
