import { promisify } from 'node:util';
import { constants, gunzipSync, gzip, gzipSync } from 'node:zlib';
import { version } from '../../base/process/version.ts';
import type { StoredPage } from '../stored/stored-page.ts';
import type { PageFormat } from './page-format.ts';
import { recordId, warcDigest, warcRecord } from './warc-record.ts';

const gzipBeside = promisify(gzip);
/** More is compressed beside the event loop, which others are waiting for. */
const heavyBytes = 128 * 1024;

/**
 * WARC 1.1 (ISO 28500:2017). What was kept decides what a page is: its answer as it came is a `response`, what was made of
 * it, markdown and decoded HTML, are `conversion` records, and what was found out about it is `metadata`. With gzip every
 * record is a member of its own, so that readers can begin at any of them.
 */
export function warcFormat({ gzip }: { readonly gzip: boolean }): PageFormat {
  return {
    wants: { html: true, bodies: true },
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
    // A page that a recrawl found unchanged came when its answer did, not when that was asked.
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
  if (!kept) conversion('html', html);
  conversion('markdown', markdown);
  add('metadata', 'application/json', Buffer.from(metadata(page)), {
    'WARC-Refers-To': records[0]?.id ?? null,
  });
  return records.map(({ data }) => data);
}

/** Header values are bytes that were read as Latin-1. */
function httpMessage({ head, body }: NonNullable<StoredPage['kept']>): Buffer {
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), body]);
}

function metadata({
  page_no,
  url: _url,
  markdown: _markdown,
  html: _html,
  kept: _kept,
  ...page
}: StoredPage): string {
  return JSON.stringify({ page_no, ...page });
}

/** The first bytes of a file as text; of a compressed one, as much as can be read of its first member. */
function plainBeginning(beginning: Buffer): string {
  try {
    const isGzip = beginning[0] === 0x1f && beginning[1] === 0x8b;
    const plain = isGzip ? gunzipSync(beginning, { finishFlush: constants.Z_SYNC_FLUSH }) : beginning;
    return plain.toString('latin1');
  } catch {
    return '';
  }
}
