import fc from 'fast-check';
import { QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { expect, test } from 'vitest';
import { tagOf } from './html-tag.ts';
import { readTokens, type TokenReader } from './read-tokens.ts';

type Token = readonly unknown[];

/** What a reader gets to see: whole tags with their attributes, end tags, and text. */
function ourTokens(html: string): Token[] {
  const tokens: Token[] = [];
  let open: unknown[] = [];
  const reader: TokenReader = {
    openTag(id) {
      open = ['open', id];
      return true;
    },
    attributeName: (start, end) => open.push(html.slice(start, end)),
    attributeValue: (start, end) => open.push(html.slice(start, end)),
    openTagEnd: (selfClosing) => tokens.push([...open, selfClosing]),
    closeTag: (id) => tokens.push(['close', id]),
    text: (start, end) => tokens.push(['text', start, html.slice(start, end)]),
  };
  readTokens(html, reader);
  return tokens;
}

function theirTokens(html: string): Token[] {
  const tokens: Token[] = [];
  let open: unknown[] = [];
  const ignore = () => {};
  const callbacks: TokenizerCallbacks = {
    onopentagname(start, end) {
      open = ['open', tagOf(html, start, end)];
    },
    onattribname: (start, end) => open.push(html.slice(start, end)),
    onattribdata: (start, end) => open.push(html.slice(start, end)),
    onattribend(quote, end) {
      if (quote === QuoteType.NoValue) open.push(html.slice(end, end));
    },
    onopentagend: () => tokens.push([...open, false]),
    onselfclosingtag: () => tokens.push([...open, true]),
    onclosetag: (start, end) => tokens.push(['close', tagOf(html, start, end)]),
    ontext: (start, end) => tokens.push(['text', start, html.slice(start, end)]),
    oncdata: ignore,
    oncomment: ignore,
    ondeclaration: ignore,
    onprocessinginstruction: ignore,
    onattribentity: ignore,
    ontextentity: ignore,
    onend: ignore,
  };
  const tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: false }, callbacks);
  tokenizer.write(html);
  tokenizer.end();
  return tokens;
}

const piece = fc.oneof(
  fc.constantFrom(
    ...'<|</|<!|<!-|<!--|-->|--!>|--|->|<![CDATA[|]]>|<?|?>|>|/>|/|=|"|\'| |\n|&amp;|!'.split('|'),
    ...'a|A|br|svg|script|SCRIPT|style|title|textarea|xmp|plaintext|noembed|noframes|iframe|scripts|h1|x-y'.split(
      '|',
    ),
    ...'<p>|</p>|<a href="x">|<a href=\'y\' b>|<img/>|<script>|</script>|</script |<title>|</title>|<plaintext>|</plaintext>|<!doctype html>|é|1<2'.split(
      '|',
    ),
  ),
  fc.string({ maxLength: 3, unit: 'grapheme-ascii' }),
);

test('any text is split as htmlparser2 splits it', () => {
  const pages = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(pages, (page) => {
      // A tag that the page ends in is dropped, as browsers do; theirs gives parts of some as text.
      const html = `${page}'"></x>-->]]>.`;
      expect(ourTokens(html)).toEqual(theirTokens(html));
    }),
    { numRuns: 5_000 },
  );
});

test('a tag that the page ends in is dropped, and a bare less-than is text', () => {
  for (const [end, tokens] of [
    ['<', [['text', 1, '<']]],
    ['</', [['text', 1, '</']]],
    ['<b', []],
    ['<b x', []],
    ['<b x="y', []],
    ['<br/', []],
    ['<scr', []],
    ['</b', []],
    ['<!--', []],
    ['<!-- > --', []],
  ] as const) {
    expect(ourTokens(`.${end}`), end).toEqual([['text', 0, '.'], ...tokens]);
  }
});
