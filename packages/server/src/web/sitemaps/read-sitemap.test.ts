import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuSeconds } from '../../../../../test/cpu-seconds.ts';
import { readSitemap } from './read-sitemap.ts';
import type { SitemapEntry, SitemapLimits } from './sitemap-entry.ts';

async function read(content: string | Uint8Array | Iterable<Uint8Array>, limits?: Partial<SitemapLimits>) {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const reading = readSitemap(bytes instanceof Uint8Array ? [bytes] : bytes, limits);
  const entries: SitemapEntry[] = [];
  for await (const entry of reading) entries.push(entry);
  return {
    entries,
    urls: entries.map(({ url }) => url),
    format: reading.format,
    end: reading.end,
    bytes: reading.bytes,
  };
}

const urlset = (...locs: string[]) =>
  `<?xml version="1.0"?><urlset>${locs.map((loc) => `<url><loc>${loc}</loc></url>`).join('')}</urlset>`;

describe('a sitemap', () => {
  test('lists pages with their dates and translations', async () => {
    const { entries, format, end } = await read(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
      <url><loc> http://a.com/?a=1&amp;b=2 </loc><lastmod>2024-05-01</lastmod><priority>1</priority>
        <xhtml:link rel="alternate" hreflang="de" href="http://a.com/de?x&amp;y"/>
        <image:image><image:loc>http://a.com/x.jpg</image:loc></image:image></url>
      <url><loc><![CDATA[http://a.com/2?a&b]]></loc></url></urlset>`);
    expect(entries).toEqual([
      {
        kind: 'page',
        url: 'http://a.com/?a=1&b=2',
        lastModified: '2024-05-01',
        alternates: ['http://a.com/de?x&y'],
      },
      { kind: 'page', url: 'http://a.com/2?a&b' },
    ]);
    expect({ format, end }).toEqual({ format: 'urlset', end: 'complete' });
  });

  test('may be an index of others, even without <loc>', async () => {
    const { entries, format } = await read(`<sitemapindex><sitemap><loc>http://a.com/1.xml</loc></sitemap>
      <sitemap>\nhttp://a.com/2.xml\n</sitemap></sitemapindex>`);
    expect(format).toBe('sitemapindex');
    expect(entries).toEqual([
      { kind: 'sitemap', url: 'http://a.com/1.xml' },
      { kind: 'sitemap', url: 'http://a.com/2.xml' },
    ]);
  });

  test('may have any namespace, prefix or case, or none', async () => {
    for (const [prefix, xmlns] of [
      ['', ' xmlns="http://www.google.com/wrong"'],
      ['s:', ' xmlns:s="x"'],
      ['', ''],
    ])
      expect(
        (
          await read(
            `<${prefix}urlset${xmlns}><${prefix}url><${prefix}loc>http://a.com/</${prefix}loc></${prefix}url>`,
          )
        ).urls,
      ).toEqual(['http://a.com/']);
    expect((await read('<URLSET><Url><Loc>http://a.com/</Loc></Url></URLSET>')).urls).toEqual([
      'http://a.com/',
    ]);
  });

  test('may lack end tags or have several <loc> in one entry', async () => {
    const broken =
      '<urlset><url><loc>http://a.com/1</loc><loc>http://a.com/2</loc><url><loc>http://a.com/3</loc>';
    expect((await read(broken)).urls).toEqual(['http://a.com/1', 'http://a.com/2', 'http://a.com/3']);
  });

  test('may be RSS: link, else guid', async () => {
    const { entries, format } = await read(`<rss><channel><link>http://a.com/</link><item>
      <description><p>unclosed<br></description><link>http://a.com/1</link><guid>http://a.com/g</guid>
      <pubDate>Thu, 05 Jan 2017 13:34:51 +0100</pubDate></item>
      <item><guid isPermaLink="false">http://a.com/2</guid></item><item><guid>7bd204c6</guid></item></channel></rss>`);
    expect(format).toBe('rss');
    expect(entries).toEqual([
      { kind: 'page', url: 'http://a.com/1', lastModified: 'Thu, 05 Jan 2017 13:34:51 +0100' },
      { kind: 'page', url: 'http://a.com/2' },
    ]);
  });

  test('may be Atom: the entry’s own link, not its edit link', async () => {
    const { entries, format } = await read(`<feed><link href="http://a.com/feed" rel="self"/><entry>
      <link rel="edit" href="http://a.com/edit"/><link href='http://a.com/1'/>
      <link rel="alternate" href="http://a.com/1.html"/><updated>2003-12-13</updated>
      <source><link href="http://b.com/"/></source></entry></feed>`);
    expect(format).toBe('atom');
    expect(entries).toEqual([
      {
        kind: 'page',
        url: 'http://a.com/1',
        lastModified: '2003-12-13',
        alternates: ['http://a.com/1.html'],
      },
    ]);
  });

  test('may be a list of URLs, with anything between', async () => {
    const { urls, format } = await read('\ufeffhttp://a.com/1\r\n\r\n# no\nhttp://a.com/ 2\nhttps://a.com/3');
    expect(urls).toEqual(['http://a.com/1', 'https://a.com/3']);
    expect(format).toBe('text');
  });

  test('may be gzipped, once or twice, in one piece or many', async () => {
    const zipped = gzipSync(urlset('http://a.com/1', 'http://a.com/2'));
    for (const bytes of [[zipped], [gzipSync(zipped)], [...zipped].map((byte) => Uint8Array.of(byte))])
      expect((await read(bytes)).urls).toEqual(['http://a.com/1', 'http://a.com/2']);
  });

  test('may be in UTF-16 or another encoding', async () => {
    const text = urlset('http://a.com/ü');
    const utf16 = Buffer.from(text, 'utf16le');
    const marked = Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]);
    const latin1 = Buffer.from(text.replace('?>', ' encoding="ISO-8859-1"?>'), 'latin1');
    for (const bytes of [marked, utf16, Buffer.from(utf16).swap16(), latin1, Buffer.from(`\ufeff${text}`)])
      expect((await read(bytes)).urls).toEqual(['http://a.com/ü']);
  });

  test('is the same however it is cut into pieces', async () => {
    const text = `<!-- <url> --><!DOCTYPE x><urlset a=">">${'<url><loc>http://a.com/?a&amp;ü<![CDATA[&]]></loc></url>'.repeat(3)}`;
    const bytes = Buffer.from(text);
    for (let size = 1; size < 20; size++) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      expect((await read(pieces)).urls).toEqual(Array(3).fill('http://a.com/?a&ü&'));
    }
  });
});

describe('an attack', () => {
  test('by entities reads nothing and expands nothing', async () => {
    const { urls } = await read(`<?xml version="1.0"?><!DOCTYPE urlset [
      <!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY file SYSTEM "file:///etc/passwd"> ]>
      <urlset><url><loc>http://a.com/&b;</loc></url><url><loc>&file;</loc></url><url><loc>http://a.com/&#x41;&#1114112;</loc></url></urlset>`);
    expect(urls).toEqual(['http://a.com/&b;', 'http://a.com/A&#1114112;']);
  });

  test('by a bomb costs the limit and no more', async () => {
    const bomb = gzipSync(
      Buffer.concat([Buffer.from(urlset('http://a.com/')), Buffer.alloc(50_000_000, ' ')]),
    );
    const { urls, end, bytes } = await read(bomb, { maxBytes: 1_000_000 });
    expect({ urls, end }).toEqual({ urls: ['http://a.com/'], end: 'too_large' });
    expect(bytes).toBeLessThan(1_200_000);
  });

  test('by too many entries ends at the limit', async () => {
    const { urls, end } = await read(urlset(...Array.from({ length: 20 }, (_, i) => `http://a.com/${i}`)), {
      maxEntries: 10,
    });
    expect({ count: urls.length, end }).toEqual({ count: 10, end: 'too_many_entries' });
    expect((await read(urlset('http://a.com/1', 'http://a.com/2'), { maxEntries: 2 })).end).toBe('complete');
  });

  test.each([
    ['nesting', '<a>'.repeat(500_000)],
    ['one tag', `<url ${'a '.repeat(1_000_000)}`],
    ['open tags', '<url'.repeat(1_500_000)],
    ['open quotes', `<url "${'<a '.repeat(2_000_000)}`],
    ['one comment', `<!--${'-'.repeat(3_000_000)}`],
    ['one text', 'x'.repeat(3_000_000)],
    ['entities', '&amp;'.repeat(500_000)],
  ])('by endless %s takes no time', async (_, content) => {
    const seconds = await cpuSeconds(async () => {
      const { urls } = await read(`<urlset><url><loc>http://a.com/</loc></url><url>${content}`);
      expect(urls).toEqual(['http://a.com/']);
    });
    expect(seconds).toBeLessThan(5);
  });
});

describe('what is no sitemap', () => {
  test.each([
    '',
    '   ',
    '<html><body><a href="http://a.com/">',
    '{"a":1}',
    'Not found',
    '<',
    '<?xml',
    '\x1f\x8b broken',
  ])('gives nothing, and says so: %j', async (content) => {
    const { urls, end } = await read(Buffer.from(content, 'latin1'));
    expect(urls).toEqual([]);
    expect(end).toBe(content.startsWith('\x1f') ? 'interrupted' : 'not_a_sitemap');
  });

  test('but broke off gives what was found before', async () => {
    const whole = gzipSync(
      urlset(...Array.from({ length: 5_000 }, (_, i) => `http://a.com/${(i * 7919) % 5_003}`)),
    );
    const { urls, end } = await read(whole.subarray(0, whole.length / 2));
    expect(end).toBe('interrupted');
    expect(urls.length).toBeGreaterThan(1_000);

    async function* failing() {
      yield Buffer.from('<urlset><url><loc>http://a.com/</loc></url>');
      throw new Error('connection reset');
    }
    const reading = readSitemap(failing());
    const found = [];
    for await (const { url } of reading) found.push(url);
    expect([found, reading.end]).toEqual([['http://a.com/'], 'interrupted']);
  });

  const listed = Array.from({ length: 50 }, (_, i) => `http://a.com/${i}`);
  const half = urlset(...listed).replace('</urlset>', '');
  test.each([
    ['in a tag', `${half}<url><lo`],
    ['in an end tag', `${half}</urls`],
    ['in a URL', `${half}<url><loc>http://a.com/hal`],
    ['in an entry', `${half}<url>`],
    ['in a comment', `${half}<!-- <url><loc>http://a.com/never</loc></url></urlset>`],
    ['in a CDATA section', `${half}<url><loc><![CDATA[http://a.com/hal`],
    ['between two entries', half],
    ['before its first entry', '<urlset>'],
    ['in a feed', '<rss><channel><item><link>http://a.com/1</link></item>'],
    ['in a tag that goes on and on', `${half}<a ${'x'.repeat(40_000)}`],
  ])('but ends %s gives what was found before, and says so', async (_, text) => {
    for (const bytes of [text, [Buffer.from(text.slice(0, 700)), Buffer.from(text.slice(700))]]) {
      const { urls, end } = await read(bytes);
      expect(end).toBe('interrupted');
      if (text.startsWith(half)) expect(urls).toEqual(listed);
    }
  });

  test('but has a tag that goes on and on gives what was found before, and says so', async () => {
    const text = `${half}<a ${'x'.repeat(40_000)}${urlset('http://a.com/never')}`;
    const pieces = Array.from({ length: text.length / 1_000 }, (_, i) =>
      Buffer.from(text.slice(i * 1_000, (i + 1) * 1_000)),
    );
    const { urls, end } = await read(pieces);
    expect([urls, end]).toEqual([listed, 'interrupted']);
  });

  test.each([
    ['an empty list', '<urlset/>'],
    ['a list without entries', '<urlset></urlset>'],
    ['another case of its end', '<urlset><url><loc>http://a.com/1</loc></url></URLSET>'],
    ['a last entry without its end', '<urlset><url><loc>http://a.com/1</loc></urlset>'],
    ['nothing around its entries', '<url><loc>http://a.com/1</loc></url>'],
    ['white space and comments behind it', `${urlset('http://a.com/1')}\n<!-- made by hand -->\n`],
  ])('but has %s is read to its end', async (_, text) => {
    const { urls, end } = await read(text);
    expect([urls, end]).toEqual([text.includes('/1') ? ['http://a.com/1'] : [], 'complete']);
  });

  test('is any bytes at all, and never throws', async () => {
    const parts = fc.constantFrom(
      '<',
      '>',
      '/',
      'url',
      'loc',
      'urlset',
      '<urlset>',
      '<url>',
      '<loc>',
      '"',
      ' ',
      '<!',
      '--',
      '[',
      ']]>',
      '&',
      ';',
      '\0',
      'é',
    );
    const content = fc.oneof(
      fc.uint8Array(),
      fc.array(parts).map((words) => Buffer.from(words.join(''))),
    );
    await fc.assert(
      fc.asyncProperty(content, async (bytes) => {
        await read(bytes);
        await read(gzipSync(bytes));
      }),
      { numRuns: 300 },
    );
  });
});

test('who stops reading closes the source', async () => {
  let closed = false;
  async function* source() {
    try {
      for (;;) yield Buffer.from(urlset('http://a.com/'));
    } finally {
      closed = true;
    }
  }
  for await (const { url } of readSitemap(source())) {
    expect(url).toBe('http://a.com/');
    break;
  }
  expect(closed).toBe(true);
});
