import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeHtml } from './decode-html.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf8 = (text: string) => Buffer.from(text, 'utf8');

describe('the encoding of a page', () => {
  test('is what its byte order mark says, before all else', () => {
    const header = 'text/html; charset=iso-8859-2';
    expect(decodeHtml(utf8('\ufeffü'), header)).toEqual({ text: 'ü', encoding: 'utf-8' });
    expect(decodeHtml(Buffer.from('\ufeffü', 'utf16le'), header)).toEqual({
      text: 'ü',
      encoding: 'utf-16le',
    });
    expect(decodeHtml(Buffer.from('\ufeffü', 'utf16le').swap16(), header)).toEqual({
      text: 'ü',
      encoding: 'utf-16be',
    });
  });

  test('is what the header says, before the page', () => {
    const page = latin1('<meta charset=utf-8>\xb9');
    for (const header of [
      'text/html; charset=ISO-8859-2',
      'text/html;charset="latin2"',
      "text/html; Charset='l2'; x=y",
    ])
      expect(decodeHtml(page, header)).toEqual({ text: '<meta charset=utf-8>š', encoding: 'iso-8859-2' });
  });

  test('is what the page says, if the header says nothing that is known', () => {
    for (const header of [
      undefined,
      null,
      '',
      'text/html',
      'text/html; charset=bogus',
      'text/html; charset=',
    ])
      expect(decodeHtml(latin1('<meta charset=koi8-r>\xc1'), header).encoding).toBe('koi8-r');
  });

  test.each([
    ['<!-- <meta charset=koi8-r> --><meta charset="Shift_JIS">', 'shift_jis'],
    ['<meta http-equiv=content-type content="text/html; charset=big5">', 'big5'],
    ['<meta content="text/html; charset=big5">', 'windows-1252'],
    ['<p title="<meta charset=big5>">', 'windows-1252'],
    ['<meta charset=utf-16>', 'utf-8'],
    ['<meta charset=x-user-defined>', 'windows-1252'],
    ['<?xml version="1.0" encoding="gb2312"?><html>', 'gbk'],
    ['<meta charset=big5', 'windows-1252'],
    ['<meta charset="big5>', 'windows-1252'],
    ['<META\nCHARSET\n=\nBig5 />', 'big5'],
  ])('is found in %s', (page, encoding) => expect(decodeHtml(latin1(page)).encoding).toBe(encoding));

  test('is found even late in the page, unless the bytes show that it is UTF-8', () => {
    const late = `<!--${'x'.repeat(5_000)}--><meta charset=iso-8859-2>`;
    expect(decodeHtml(latin1(`${late}\xb9`)).text).toBe(`${late}š`);
    expect(decodeHtml(utf8(`${late}ü`)).encoding).toBe('utf-8');
  });

  test('is guessed by its bytes where nothing is declared', () => {
    expect(decodeHtml(utf8('<p>größer')).text).toBe('<p>größer');
    expect(decodeHtml(latin1('<p>gr\xf6\xdfer')).text).toBe('<p>größer');
    expect(decodeHtml(Buffer.from('<p>ü', 'utf16le'))).toEqual({ text: '<p>ü', encoding: 'utf-16le' });
  });

  test('is not looked for in what is no markup', () => {
    expect(decodeHtml(latin1('write <meta charset=koi8-r> \xfc'), 'text/plain').text).toContain('ü');
  });
});

test('windows-1252 has its quotes and dashes', () => {
  expect(decodeHtml(latin1('\x80 \x93x\x94 \x96 \x81\xe9'), 'text/html; charset=iso-8859-1').text).toBe(
    '€ “x” – \x81é',
  );
});

test('bytes that are not in the declared encoding become U+FFFD', () => {
  expect(decodeHtml(latin1('a\xffb'), 'text/html; charset=utf-8').text).toBe('a\ufffdb');
});

test('any bytes with any header give text', () => {
  const headers = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'text/html; charset=iso-2022-kr',
      'text/html; charset=replacement',
      'x; charset=hz-gb-2312',
      'x; charset=utf-7',
    ),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), headers, (bytes, header) => {
      expect(typeof decodeHtml(bytes, header).text).toBe('string');
    }),
  );
});

test('a view into a larger buffer is read within its borders', () => {
  const whole = utf8('xx<p>ü</p>yy');
  expect(decodeHtml(whole.subarray(2, -2)).text).toBe('<p>ü</p>');
});
