import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gunzipSync, gzip, gzipSync } from 'node:zlib';
import { version } from '../../base/process/installation.ts';
import type { StoredPage } from '../stored/page.ts';
import type { PageFormat } from './page-output.ts';

const gzipBeside = promisify(gzip);
/** Larger records are compressed off the event loop. */
const heavyBytes = 128 * 1024;

/**
 * WARC 1.1 (ISO 28500:2017). A kept response is a `response` record; markdown and decoded HTML are `conversion` records; everything
 * else known of the page is `metadata`. A screenshot is a `resource` under `urn:view:`, where replay tools look for it. With gzip every record is a member of its own, so that readers can start at any of them.
 */
export function warcFormat({ gzip }: { readonly gzip: boolean }): PageFormat {
  return {
    wants: { html: true, bodies: true, screenshots: true },
    isOurs: (beginning) =>
      /^WARC\/1\.1\r\nWARC-Type: warcinfo\r\n.*Holdfast/s.test(plainBeginning(beginning)),
    header: (jobId) => (gzip ? gzipSync(warcinfo(jobId)) : warcinfo(jobId)),
    async record(page, jobId) {
      const records = pageRecords(page, jobId);
      return Buffer.concat(gzip ? await Promise.all(records.map(compressed)) : records);
    },
  };
}

async function compressed(record: Buffer): Promise<Buffer> {
  return record.length < heavyBytes ? gzipSync(record) : await gzipBeside(record);
}

function warcinfo(jobId: string): Buffer {
  const lines = [
    `software: Holdfast/${version}`,
    'format: WARC File Format 1.1',
    'conformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/',
    `isPartOf: crawl ${jobId}`,
  ];
  const fields = [
    ['WARC-Type', 'warcinfo'],
    ['WARC-Record-ID', recordId(jobId, 'warcinfo')],
    ['WARC-Date', new Date().toISOString()],
    ['Content-Type', 'application/warc-fields'],
  ] as const;
  return warcRecord(fields, Buffer.from(`${lines.join('\r\n')}\r\n`));
}

function pageRecords(page: StoredPage, jobId: string): Buffer[] {
  const { url, kept, html, markdown } = page;
  const response = kept && recordId(jobId, 'response', url);
  const records: { id: string; data: Buffer }[] = [];
  const add = (kind: string, type: string, block: Buffer, fields: Partial<Record<string, string | null>>) => {
    const id = recordId(jobId, kind, url);
    const named = {
      'WARC-Type': kind.split(' ')[0] ?? kind,
      'WARC-Record-ID': id,
      'WARC-Date': page.fetched_at.toISOString(),
      'WARC-Target-URI': url,
      'WARC-Warcinfo-ID': recordId(jobId, 'warcinfo'),
      'WARC-Block-Digest': warcDigest(block),
      'Content-Type': type,
      ...fields,
    };
    const given = Object.entries(named).map(([name, value]) => [name, value ?? null] as const);
    records.push({ id, data: warcRecord(given, block) });
  };
  if (kept) {
    // The response of an unchanged page is older than the recrawl that found it unchanged.
    add('response', 'application/http;msgtype=response', httpMessage(kept), {
      'WARC-Date': kept.received_at,
      'WARC-IP-Address': kept.address,
      'WARC-Payload-Digest': warcDigest(kept.body),
    });
  }
  const conversion = (name: string, text: string | null) => {
    if (text === null) return;
    const block = Buffer.from(text);
    add(`conversion ${name}`, `text/${name};charset=utf-8`, block, {
      'WARC-Payload-Digest': warcDigest(block),
      'WARC-Refers-To': response,
    });
  };
  if (!kept || page.rendered) conversion('html', html);
  conversion('markdown', markdown);
  if (page.screenshot)
    add('resource', 'image/png', page.screenshot, {
      'WARC-Target-URI': `urn:view:${url}`,
      'WARC-Payload-Digest': warcDigest(page.screenshot),
    });
  add('metadata', 'application/json', Buffer.from(metadata(page)), {
    'WARC-Refers-To': records[0]?.id ?? null,
  });
  return records.map(({ data }) => data);
}

/** Header values are bytes, read as Latin-1. */
function httpMessage({ head, body }: NonNullable<StoredPage['kept']>): Buffer {
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), body]);
}

function metadata({
  page_no,
  url: _url,
  url_hash: _hash,
  screenshot: _picture,
  markdown: _markdown,
  html: _html,
  kept: _kept,
  ...page
}: StoredPage): string {
  return JSON.stringify({ page_no, ...page });
}

/** The first bytes of a file as text; of a gzip file, as much of its first member as they hold. */
function plainBeginning(beginning: Buffer): string {
  try {
    const isGzip = beginning[0] === 0x1f && beginning[1] === 0x8b;
    const plain = isGzip ? gunzipSync(beginning, { finishFlush: constants.Z_SYNC_FLUSH }) : beginning;
    return plain.toString('latin1');
  } catch {
    return '';
  }
}

/** A WARC record: its fields in order, those without a value left out, and its block. */
function warcRecord(fields: readonly (readonly [string, string | null])[], block: Buffer): Buffer {
  const lines = fields.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}\r\n`]));
  const head = `WARC/1.1\r\n${lines.join('')}Content-Length: ${block.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), block, Buffer.from('\r\n\r\n')]);
}

/**
 * A version 5 UUID in the name space of the job: a page has the same record id in every export, so files can be combined and an
 * export can be resumed.
 */
function recordId(jobId: string, kind: string, url = ''): string {
  const space = Buffer.from(jobId.replaceAll('-', ''), 'hex');
  const bytes = createHash('sha1').update(space).update(`${kind} ${url}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return `<urn:uuid:${parts.join('-')}>`;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** SHA-1 in base 32, as archive indexes use it to find equal payloads. Not a security measure. */
export function warcDigest(data: Buffer): string {
  let letters = '';
  let value = 0;
  let bits = 0;
  for (const byte of createHash('sha1').update(data).digest()) {
    // At most 4 bits are left over.
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) letters += alphabet[(value >> (bits - 5)) & 31];
  }
  return `sha1:${letters}`;
}
