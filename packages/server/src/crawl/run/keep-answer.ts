import { STATUS_CODES } from 'node:http';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import type { PageContent } from '../../pages/stored/page.ts';
import type { FetchResponse } from '../../web/fetch/fetcher.ts';

const deflate = promisify(deflateRaw);

/** They tell of the body on its way, not of the body that is kept. */
const ofTheWay = /^(content-encoding|content-length|transfer-encoding)$/;

/** An answer as it came, to be stored: what is deflated and takes long is done beside the requests. */
export async function keepAnswer(
  { status, headers, remoteAddress }: FetchResponse,
  body: Buffer,
): Promise<NonNullable<PageContent['kept']>> {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...Object.entries(headers).map(
      ([name, value]) => `${ofTheWay.test(name) ? 'x-orig-' : ''}${name}: ${value}`,
    ),
    `content-length: ${body.length}`,
  ];
  return {
    body: await deflate(body, { level: 1 }),
    answer: {
      received_at: new Date().toISOString(),
      address: remoteAddress ?? null,
      // PostgreSQL stores no NUL, and a line break would make another header; neither is in an honest one.
      head: lines.map((line) => line.replaceAll(/[\0\r\n]/g, ' ')).join('\r\n'),
    },
  };
}
