import { describe, expect, test } from 'vitest';
import { refusesAiInput } from './content-preferences.ts';
import { parseRobots } from './parse-robots.ts';

const parsed = (text: string) => parseRobots(Buffer.from(text));

test('a robots.txt without preferences has none, so that what is cached of it stays as it was', () => {
  expect(parsed('User-agent: *\nDisallow: /private\n')).not.toHaveProperty('preferences');
});

test('preferences are kept as written, with the crawlers that they address', () => {
  const { preferences, groups } = parsed(`License: https://example.com/rsl.xml
User-agent: a
User-agent: b
Content-Signal: search=yes, ai-train=no
User-agent: c
Content-Usage: /shop ai-use=n
Disallow: /private
`);
  expect(preferences).toEqual([
    { kind: 'license', agents: [], value: 'https://example.com/rsl.xml' },
    { kind: 'content-signal', agents: ['a', 'b'], value: 'search=yes, ai-train=no' },
    { kind: 'content-usage', agents: ['c'], path: '/shop', value: 'ai-use=n' },
  ]);
  expect(groups).toEqual([{ agents: ['a', 'b', 'c'], allow: [], disallow: ['/private'] }]);
});

describe('AI input is refused', () => {
  test.each([
    ['by the signal', 'User-agent: *\nContent-Signal: search=yes, ai-input=no', '/', true],
    ['not by other signals', 'User-agent: *\nContent-Signal: search=no, ai-train=no', '/', false],
    ['not where it is allowed', 'User-agent: *\nContent-Signal: ai-input=yes', '/', false],
    ['where the path says so', 'User-agent: *\nContent-Usage: /shop ai-use=n', '/shop/1', true],
    ['and nowhere else', 'User-agent: *\nContent-Usage: /shop ai-use=n', '/', false],
    [
      'by the longest path',
      'User-agent: *\nContent-Signal: ai-input=no\nContent-Signal: /free ai-input=yes',
      '/free/1',
      false,
    ],
    [
      'of two that disagree, by the refusal',
      'User-agent: *\nContent-Signal: ai-input=yes\nContent-Usage: ai-use=n',
      '/',
      true,
    ],
    ['without a group, for all', 'Content-Signal: ai-input=no', '/', true],
    ['not by what others are told', 'User-agent: other\nContent-Signal: ai-input=no', '/', false],
    [
      'not where there is a group of our own',
      'User-agent: *\nContent-Signal: ai-input=no\nUser-agent: Holdfast\nAllow: /',
      '/',
      false,
    ],
    ['by our own group', 'User-agent: holdfast\nContent-Signal: ai-input=no', '/', true],
  ])('%s', (_, robots, path, refuses) => {
    expect(refusesAiInput(parsed(robots), 'Holdfast', path)).toBe(refuses);
  });
});
