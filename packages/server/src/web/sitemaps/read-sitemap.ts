import {
  isTooLong,
  listedUrl,
  type SitemapEnd,
  type SitemapEntry,
  type SitemapFormat,
  type SitemapLimits,
  sitemapLimits,
} from './sitemap-entry.ts';
import { decodedText, inflated } from './text-stream.ts';
import { XmlEntries } from './xml-entries.ts';
import { XmlScanner } from './xml-scanner.ts';

type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * Reads a sitemap of any kind (urlset, index, RSS, Atom, list of URLs; gzipped or not) as it arrives. Iterating yields its entries
 * and never throws; afterwards `end` says whether the reading was complete.
 */
export function readSitemap(bytes: Bytes, limits: Partial<SitemapLimits> = {}): SitemapReading {
  return new SitemapReading(bytes, { ...sitemapLimits, ...limits });
}

class SitemapReading implements AsyncIterable<SitemapEntry> {
  format: SitemapFormat = 'unknown';
  end: SitemapEnd = 'complete';
  entries = 0;
  /** Entries that were not yielded: beyond the limit, or with too long a URL. */
  readonly leftOut = { entries: 0, tooLong: 0 };
  /** Bytes read so far, after inflating. */
  bytes = 0;
  readonly #source: Bytes;
  readonly #limits: SitemapLimits;

  constructor(source: Bytes, limits: SitemapLimits) {
    this.#source = source;
    this.#limits = limits;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SitemapEntry> {
    for await (const batch of this.#batches()) {
      for (const entry of batch) {
        if (this.entries < this.#limits.maxEntries) {
          this.entries++;
          yield entry;
        } else this.leftOut.entries++;
      }
    }
    if (this.leftOut.entries > 0 && this.end === 'complete') this.end = 'too_many_entries';
    if (
      this.entries + this.leftOut.tooLong === 0 &&
      this.end === 'complete' &&
      (this.format === 'unknown' || this.format === 'text')
    )
      this.end = 'not_a_sitemap';
  }

  async *#batches(): AsyncGenerator<SitemapEntry[]> {
    let reader: Reader | undefined;
    let before = '';
    try {
      for await (const text of decodedText(this.#counted(inflated(this.#source)))) {
        before += text;
        if (!reader && text.trim() === '') {
          before = '';
          continue;
        }
        reader ??= /^\s*</.test(before) ? xmlReader() : textReader();
        const batch = reader.write(before);
        before = '';
        this.format = reader.format();
        yield batch;
        if (reader.isForeign()) return;
        if (reader.isBroken()) break;
      }
    } catch {
      this.end = 'interrupted';
    }
    if (reader) {
      const rest = reader.finish();
      this.format = reader.format();
      if (this.end === 'complete' && this.format !== 'unknown' && reader.isBroken()) this.end = 'interrupted';
      yield rest;
      this.leftOut.tooLong = reader.tooLong();
    }
  }

  async *#counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.bytes += chunk.byteLength;
      if (this.bytes > this.#limits.maxBytes) {
        this.end = 'too_large';
        return;
      }
      yield chunk;
    }
  }
}

interface Reader {
  format(): SitemapFormat;
  isForeign(): boolean;
  /** Nothing more can be read; after `finish`: the document was incomplete. */
  isBroken(): boolean;
  tooLong(): number;
  write(text: string): SitemapEntry[];
  finish(): SitemapEntry[];
}

function xmlReader(): Reader {
  const entries = new XmlEntries();
  const scanner = new XmlScanner(entries);
  let isCut = false;
  return {
    format: () => entries.format,
    isForeign: () => entries.isForeign,
    isBroken: () => isCut || scanner.isBroken,
    tooLong: () => entries.tooLong,
    write(text) {
      scanner.write(text);
      return taken(entries);
    },
    finish() {
      scanner.end();
      isCut = scanner.isInSection || entries.isUnfinished;
      entries.finish();
      return taken(entries);
    },
  };
}

function textReader(): Reader {
  const entries = new TextEntries();
  return {
    format: () => 'text',
    isForeign: () => false,
    isBroken: () => false,
    tooLong: () => entries.tooLong,
    write(text) {
      entries.write(text);
      return taken(entries);
    },
    finish() {
      entries.end();
      return taken(entries);
    },
  };
}

function taken(entries: { found: SitemapEntry[] }): SitemapEntry[] {
  const { found } = entries;
  entries.found = [];
  return found;
}

const longestLine = 64 * 1024;

/** Finds the URLs of a text file, one per line; skips other lines. */
export class TextEntries {
  found: SitemapEntry[] = [];
  /** The number of URLs that are too long. */
  tooLong = 0;
  #rest = '';

  write(chunk: string): void {
    const lines = (this.#rest + chunk).split(/\r\n|\r|\n/);
    this.#rest = (lines.pop() as string).slice(0, longestLine);
    for (const line of lines) this.#add(line);
  }

  end(): void {
    this.#add(this.#rest);
    this.#rest = '';
  }

  #add(line: string): void {
    const url = listedUrl(line);
    if (url === null && isTooLong(line)) this.tooLong++;
    if (url !== null && !url.startsWith('/')) this.found.push({ kind: 'page', url });
  }
}
