import { describe, expect, test } from 'vitest';
import { growthOf, isLinear, timesSlower } from '../../pages/stored/testing/growth.ts';
import { readLinkList } from './read-link-list.ts';
import { TextEntries } from './read-sitemap.ts';
import { XmlEntries } from './xml-entries.ts';
import { XmlScanner } from './xml-scanner.ts';

const most = 800_000;

/** A tag of 16,000 characters is none any more; more of them make a longer list. */
const tags =
  (piece: string, before = '<link ') =>
  (size: number) =>
    `<urlset><url>${`${before}${piece.repeat(15_000 / piece.length)}/>`.repeat(size / 15_000 + 1)}`;

const lists: Readonly<Record<string, (size: number) => string>> = {
  'quoted attributes': tags('a="" '),
  'quoted ends of a tag': tags('a=">" '),
  'attributes without a value': tags('a'),
  'spaces in a tag': tags(' '),
  'equals signs': tags('a= '),
  'quotes of both kinds': tags(`'"`),
  'one tag without an end': (size) => `<urlset><url a="${'" "'.repeat(size / 4)}`,
  'open quotes': (size) => `<urlset>${`<url a='>`.repeat(size / 9)}`,
  declarations: (size) => `<urlset>${'<!x>'.repeat(size / 4)}`,
  'open comments': (size) => `<urlset>${'<!-- '.repeat(size / 5)}`,
  'open entries': (size) => `<urlset>${'<url><loc>'.repeat(size / 10)}`,
  'entries in an entry': (size) => `<urlset><url>${'<loc>http://a.com/</loc>'.repeat(size / 24)}`,
  'open elements': (size) => `<rss><item><description>${'<a><b>'.repeat(size / 6)}`,
  ampersands: (size) => `<urlset><url><loc>${'&#x'.repeat(size / 3)}`,
  'less-than': (size) => `<urlset>${'< '.repeat(size / 2)}`,
};

const ordinary = (size: number) =>
  `<urlset>${'<url><loc>https://a.com/some/page</loc><lastmod>2024-01-01</lastmod></url>'.repeat(size / 76)}`;
const acceptable = 25;

function readXml(xml: string, piece: number): void {
  const entries = new XmlEntries();
  const scanner = new XmlScanner(entries);
  for (let at = 0; at < xml.length; at += piece) scanner.write(xml.slice(at, at + piece));
  scanner.end();
  entries.finish();
}

describe.each([1, 65_536, most])('an XML that comes in pieces of %i characters', (piece) => {
  const read = (xml: string) => readXml(xml, piece);

  test.each(Object.entries(lists))(
    'takes time by its length, with %s',
    (_, inputOf) => {
      expect(growthOf(inputOf, read, most)).toSatisfy(isLinear);
      expect(timesSlower(read, inputOf(most / 2), ordinary(most / 2), acceptable)).toBeLessThan(acceptable);
    },
    60_000,
  );
});

test.each(['https://a.com/....', '[', '](', '[a](', '[a](b)', '(', '`', '~~~\n', 'https://', ' ', '\u00a0'])(
  'a list of links that repeats %j takes time by its length',
  (piece) => {
    const inputOf = (size: number) => `https://a.com/x ${piece.repeat(size / piece.length)}x`;
    expect(growthOf(inputOf, (text) => readLinkList(text, 'https://a.com/'), most)).toSatisfy(isLinear);
    expect(growthOf(inputOf, (text) => new TextEntries().write(text), most)).toSatisfy(isLinear);
  },
  60_000,
);

test('and one whose URLs end in thousands of marks', () => {
  const listOf = (char: string) => `https://a.com/${char.repeat(4_000)}x `.repeat(100);
  expect(timesSlower((text) => readLinkList(text), listOf('.'), listOf('y'), acceptable)).toBeLessThan(
    acceptable,
  );
}, 60_000);
