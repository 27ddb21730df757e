import { expect, test } from 'vitest';
import { growthOf, isLinear } from '../../pages/stored/testing/growth.ts';
import type { ExtractedPage, MainContent } from '../../web/html/extracted-page.ts';
import { shownText } from './shown-text.ts';

const of = (markdown: string) =>
  shownText({ title: null, headings: [] } as unknown as ExtractedPage, { markdown } as MainContent).slice(2);

test.each([
  ['![a](https://x/i.png?sig=1)', '![a](https://x/i.png)'],
  [
    '[![a \\] b](https://x/i.png?v=1) go](https://x/?page=2)',
    '[![a \\] b](https://x/i.png) go](https://x/?page=2)',
  ],
  ['[a](https://x/?page=2)', '[a](https://x/?page=2)'],
  ['![a](https://x/i_(1).png?sig=1)', '![a](https://x/i_(1).png?sig=1)'],
  ['Really?! [yes](https://x/?a)', 'Really?! [yes](https://x/?a)'],
])('of %s, %s is compared', (markdown, compared) => {
  expect(of(markdown)).toBe(compared);
});

test.each(['![', '![](', '![a](b?', '![a\\]', '!\\[', '![](?', '![a](b?c) '])(
  'the time for repeated %j grows with its length and no faster',
  (piece) => {
    const inputOf = (size: number) => piece.repeat(size / piece.length);
    expect(growthOf(inputOf, of, 800_000)).toSatisfy(isLinear);
  },
);
