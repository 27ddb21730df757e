import { expect, test } from 'vitest';
import { shaUuid } from '../../urls/hashes.ts';
import { hashesOf02, textOf02 } from './text-of-0-2.ts';

const sentence =
  'This is a sentence of the text, long enough, with a comma or two, to read as prose of its own. ';
const links = [1, 2, 3, 4].map((n) => `<li><a href="/guides/${n}">Guide ${n}</a></li>`).join('');
/** An index: the release dropped its list of links, later checkouts kept it. */
const index = `<nav><a href=/>Home</a></nav><main><h1>Guides</h1><div><p>${sentence.repeat(4)}</p></div>
  <div class="list"><ul>${links}</ul></div></main><footer>Imprint</footer>`;

const ofRelease = sentence.repeat(4).trim();
const ofCheckouts = `${ofRelease}\nGuide 1\nGuide 2\nGuide 3\nGuide 4`;

test('a page has the text that the release of 0.2.0 gave it, and that of later checkouts', () => {
  expect(textOf02(index, false)).toBe(ofRelease);
  expect(textOf02(index, true)).toBe(ofCheckouts);
});

test('the hash of the release is not computed if the other one is wanted', () => {
  const [release, checkouts] = [shaUuid(ofRelease), shaUuid(ofCheckouts)];
  expect(hashesOf02(index, checkouts)).toEqual([checkouts]);
  expect(hashesOf02(index, release)).toEqual([checkouts, release]);
  expect(hashesOf02(index, null)).toEqual([checkouts, release]);
});

test('later rules change nothing: names are matched as parts of words, and superscripts are text', () => {
  const page = `<main><p>${sentence.repeat(4)}2<sup>32</sup></p><div id="plperl-trusted"><p>Gone</p></div></main>`;
  expect(textOf02(page, true)).toBe(`${sentence.repeat(4)}232`);
});
