import { expect, test } from 'vitest';
import { readPage } from './markdown-files.ts';

const page = readPage('docs/architecture.md');
const between = (start: string, end: string) => page.slice(page.indexOf(start), page.indexOf(end));

test('the list of files on the way of a crawl job is that of its steps: at most 40, and no room twice', () => {
  const steps = between('## A crawl job, step by step', '### Files on the way');
  const linked = [...steps.matchAll(/\]\(\.\.\/packages\/server\/src\/([^)]+)\.ts\)/g)].map(
    ([, file]) => file,
  );
  const list = between('### Files on the way', '## Data model');
  const rows = [...list.matchAll(/^\| `(\w+)` \| (.+) \((\d+)\) \|$/gm)].map(
    ([, room, files = '', count]) => ({
      room,
      files: [...files.matchAll(/`([^`]+)`/g)].map(([, file]) => `${room}/${file}`),
      count: Number(count),
    }),
  );
  const listed = rows.flatMap(({ files }) => files);
  expect(listed.toSorted()).toEqual([...new Set(linked)].toSorted());
  expect(rows.map(({ files }) => files.length)).toEqual(rows.map(({ count }) => count));
  expect(new Set(rows.map(({ room }) => room)).size).toBe(rows.length);
  expect(list).toContain(`${listed.length} files, each room entered once`);
  expect(listed.length).toBeLessThanOrEqual(40);
});
