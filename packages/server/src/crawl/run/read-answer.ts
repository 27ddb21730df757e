import { STATUS_CODES } from 'node:http';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import type { PageContent } from '../../pages/stored/page.ts';
import type { FetchResponse } from '../../web/fetch/fetcher.ts';
import { productToken } from '../../web/robots/robots-rules.ts';
import type { PageReading } from '../reading/page-reading.ts';
import { unfollowed } from '../reading/read-body.ts';
import type { ReadBody } from '../reading/read-result.ts';
import type { PageRendering, RenderedEntry, ScriptRedirect } from '../render/page-rendering.ts';

export interface AnswerOptions {
  readonly reading: PageReading;
  /** The crawler's name in X-Robots-Tag. */
  readonly agent: string;
  /** Whether the original response is stored. */
  readonly keepBodies: boolean;
  /** Hash of this page in the baseline of a recrawl. */
  readonly baselineHash: string | null | undefined;
  /** Undefined if no page is rendered. */
  readonly rendering: PageRendering | undefined;
  readonly signal: AbortSignal;
  /** A challenge to run in a browser. */
  readonly isChallenge?: boolean | undefined;
}

/**
 * Turns a response into the stored page, or into a redirect by its script. Throws a HoldfastError if the page cannot be
 * parsed.
 */
export async function readAnswer(
  entry: RenderedEntry,
  response: FetchResponse,
  body: Buffer,
  { reading, agent, keepBodies, baselineHash, rendering, signal, isChallenge }: AnswerOptions,
): Promise<ReadBody | ScriptRedirect> {
  const { status, contentType, etag, lastModified } = response;
  const came = await reading.read(entry.url, contentType, body, baselineHash);
  const rendered = await rendering?.render({
    entry,
    response,
    body,
    came,
    baselineHash,
    signal,
    isChallenge,
  });
  if (rendered && 'redirect' in rendered) return rendered;
  const found = rendered?.read ?? came;
  const read = asksNotToFollow(response, agent) ? unfollowed(found) : found;
  const page = {
    ...read.page,
    ...(rendered && { rendered: rendered.read !== undefined, render_reason: rendered.why }),
    status,
    content_type: contentType ?? null,
    etag: etag ?? null,
    last_modified: lastModified ?? null,
    bytes: body.length,
  };
  if (!keepBodies) return { ...read, page };
  return { ...read, page: { ...page, content: { ...page.content, kept: await keepAnswer(response, body) } } };
}

export function asksNotToFollow({ robotsTag }: FetchResponse, agent: string): boolean {
  return robotsTag !== undefined && forbidsFollowing(robotsTag, agent);
}

/** Directives with a value: the word before their colon is not a crawler's name, and `none` after it is not a directive. */
const valued = new Set(['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview']);

/**
 * Whether X-Robots-Tag asks this crawler, or all crawlers, not to follow the links of a page. A crawler's name applies to the
 * directives up to the end of its line, or up to the next name.
 */
export function forbidsFollowing(robotsTag: string, agent: string): boolean {
  const own = agent.toLowerCase();
  return robotsTag
    .toLowerCase()
    .split('\n')
    .some((line) => {
      let isForUs = true;
      return line.split(',').some((part) => {
        const [, name, rest] = /^\s*([^\s:]+)\s*:(.*)$/.exec(part) ?? [];
        if (name !== undefined && valued.has(name)) return false;
        if (name !== undefined) isForUs = name === '*' || productToken(name) === own;
        const rules = (rest ?? part).trim().split(/\s+/);
        return isForUs && (rules.includes('nofollow') || rules.includes('none'));
      });
    });
}

const deflate = promisify(deflateRaw);

/** Headers that describe the transfer of the body, not the body that is kept. */
const ofTheTransfer = /^(content-encoding|content-length|transfer-encoding)$/;

/** The original response, to be stored. Deflated off the event loop. */
async function keepAnswer(
  { status, headers, remoteAddress }: FetchResponse,
  body: Buffer,
): Promise<NonNullable<PageContent['kept']>> {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...Object.entries(headers).map(
      ([name, value]) => `${ofTheTransfer.test(name) ? 'x-orig-' : ''}${name}: ${value}`,
    ),
    `content-length: ${body.length}`,
  ];
  return {
    body: await deflate(body, { level: 1 }),
    answer: {
      received_at: new Date().toISOString(),
      address: remoteAddress ?? null,
      // PostgreSQL stores no NUL, and a line break would start another header.
      head: lines.map((line) => line.replaceAll(/[\0\r\n]/g, ' ')).join('\r\n'),
    },
  };
}
