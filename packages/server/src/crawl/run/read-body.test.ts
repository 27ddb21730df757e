import { describe, expect, test } from 'vitest';
import { allLinks, followedLinks, storedLines } from '../../pages/stored/page-links.ts';
import { readBody, unfollowed } from './read-body.ts';

const options = {
  markdown: false,
  store_html: false,
  sort_query: false,
  keep_tracking: false,
  keep_sessions: false,
};
const read = (html: string) => readBody('https://example.com/a/b', 'text/html', Buffer.from(html), options);
const lines = ({ page }: ReturnType<typeof read>) => storedLines(page.content.links as Buffer);

describe('the links of a page', () => {
  test('are also where a refresh leads, from the base of the page, unless the page asks not to follow them', () => {
    const refresh = '<base href="/docs/"><meta http-equiv="refresh" content="0; url=start">';
    expect(read(refresh).links).toEqual(['https://example.com/docs/start']);
    const forbidden = read(`${refresh}<meta name="robots" content="nofollow">`);
    expect(forbidden.links).toEqual([]);
    expect(allLinks(lines(forbidden))).toEqual(['https://example.com/docs/start']);
  });

  test('are kept, and none of them followed, as if the page itself had asked for it', () => {
    const links = '<a href="/1">1</a><a href="/2">2</a>';
    const asked = read(`<meta name="robots" content="nofollow">${links}`);
    const made = unfollowed(read(links));
    expect(made.links).toEqual([]);
    expect(made.page.content.links).toEqual(asked.page.content.links);
    expect(followedLinks(lines(made))).toEqual([]);
    const some = unfollowed(read(`${links}<a rel="nofollow" href="/3">3</a>`));
    expect(allLinks(lines(some)).map((link) => link.at(-1))).toEqual(['1', '2', '3']);
    const none = read('<p>Text.</p>');
    expect(unfollowed(none)).toBe(none);
  });
});
