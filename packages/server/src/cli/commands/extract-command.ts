import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { contentChoices, HoldfastError } from '@holdfast/contract';
import { Command, Option } from 'commander';
import { documentProgramPath } from '../../base/process/installation.ts';
import { DocumentReading } from '../../crawl/reading/document-reading.ts';
import { decodeHtml } from '../../web/charset/decode-html.ts';
import { kindByContent, kindByHead } from '../../web/documents/document-kind.ts';
import type { DocumentText } from '../../web/documents/document-text.ts';
import { fetchFollowing } from '../../web/fetch/fetch-following.ts';
import { HttpFetcher } from '../../web/fetch/http-fetcher.ts';
import { statusFailure } from '../../web/fetch/status-error.ts';
import { extractPage } from '../../web/html/extract-page.ts';
import type { LeftOutPart } from '../../web/html/extracted-page.ts';
import { selectorsOf } from '../../web/html/selectors/selector.ts';
import { throughDefault } from '../../web/proxy/default-pool.ts';
import { originOf } from '../crawl/private-origins.ts';
import { collect } from '../option-values.ts';
import { printable, shorten } from '../terminal-text.ts';
import { configurationOf } from '../with-database.ts';

interface ExtractFlags {
  content?: 'main' | 'full';
  includeSelector?: string[];
  excludeSelector?: string[];
  explain?: true;
  allowPrivate?: string[];
  json?: true;
}

interface Source {
  readonly url: string;
  readonly contentType: string | undefined;
  readonly body: Buffer;
}

const maxHops = 5;
const whatIsRead = 'HTML, PDF, markdown, plain text and JSON are read.';
const unreadable: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a directory',
  EACCES: 'may not be read by this user',
};

export const extractCommand = new Command('extract')
  .description('print the markdown that a crawl would store for one page')
  .argument('<page>', 'URL, HTML or PDF file, or - for standard input')
  .addOption(
    new Option('--content <what>', 'the main content, or the full visible page (default: main)').choices(
      contentChoices,
    ),
  )
  .option('--include-selector <css>', 'only parts that match (repeatable)', collect)
  .option('--exclude-selector <css>', 'no parts that match (repeatable)', collect)
  .option('--explain', 'list the parts that were left out, and why, on standard error')
  .option('--allow-private <origin>', 'allow a private-network origin (repeatable)', collect)
  .option('--json', 'print markdown, counts and left-out parts as JSON')
  .addHelpText(
    'after',
    `
Fetches the URL once, like a browser: it creates no job, stores nothing and does not read robots.txt.`,
  )
  .action(async (page: string, flags: ExtractFlags, command: Command) => {
    const { url, contentType, body } = await readSource(page, flags, command);
    const kind = kindByContent(contentType, url, body);
    if (kind === 'pdf') return printDocument(url, await readWhole(body), flags);
    if (isBinary(body, contentType))
      throw new HoldfastError('bad_request', `${page} is neither text nor PDF`, { hint: whatIsRead });
    const { text } = decodeHtml(body, contentType);
    if (kind !== 'html') return printText(url, text, flags);
    const parts: LeftOutPart[] = [];
    const wants = flags.explain || flags.json;
    const { content, title } = extractPage(text, url, {
      markdown: true,
      content: flags.content,
      selectors: selectorsOf(flags.includeSelector, flags.excludeSelector),
      onLeftOut: wants ? (part) => parts.push(part) : undefined,
    });
    if (content === null) return;
    const { markdown, wordCount, visibleWords, truncated } = content;
    const counts = {
      words: wordCount,
      visible_words: visibleWords,
      kept_percent: percent(wordCount, visibleWords),
    };
    if (flags.json) {
      console.log(JSON.stringify({ url, title, ...counts, markdown, left_out: parts }, null, 2));
      return;
    }
    console.log(markdown);
    // On standard error: standard output is the markdown alone.
    if (markdown === '') console.error('The page has no text.');
    if (truncated)
      console.error('The page is too large: its markdown is cut off, as a crawl would store it.');
    if (!flags.explain) return;
    console.error(`\nKept ${wordCount} of ${visibleWords} visible words (${counts.kept_percent} %).`);
    for (const { reason, tag, words, text } of parts)
      console.error(
        `  ${tag}, ${words} ${words === 1 ? 'word' : 'words'}, ${reason}: ${printable(shorten(text, 80))}`,
      );
  });

/** A zero byte early on, as in pictures and archives. UTF-16 begins with a mark, or is declared. */
function isBinary(body: Buffer, contentType = ''): boolean {
  const isUtf16 = (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff);
  return !isUtf16 && !/utf-?16/i.test(contentType) && body.subarray(0, 8_192).includes(0);
}

/** In a thread, with the limits that it has in a crawl. */
async function readWhole(body: Buffer): Promise<DocumentText> {
  const reading = new DocumentReading({ program: documentProgramPath });
  try {
    return await reading.read(body);
  } finally {
    await reading.close();
  }
}

function printDocument(url: string, document: DocumentText, { json, explain }: ExtractFlags): void {
  const { title, markdown, wordCount, pages, pagesRead } = document;
  if (json)
    console.log(
      JSON.stringify({ url, title, words: wordCount, pages, pages_read: pagesRead, markdown }, null, 2),
    );
  else console.log(markdown);
  if (wordCount === 0) console.error('The document has no text; its pages may be scanned images.');
  else if (explain) console.error(`\nRead ${pagesRead} of ${pages} pages, ${wordCount} words.`);
}

function printText(url: string, markdown: string, { json }: ExtractFlags): void {
  console.log(json ? JSON.stringify({ url, title: null, markdown }, null, 2) : markdown);
}

/** A file has no Content-Type. */
function typeByName(path: string): string | undefined {
  if (/\.(?:md|markdown)$/i.test(path)) return 'text/markdown; charset=utf-8';
  return /\.(?:txt|json)$/i.test(path) ? 'text/plain; charset=utf-8' : undefined;
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 100 : Math.min(100, Math.round((100 * part) / whole));
}

async function readSource(page: string, flags: ExtractFlags, command: Command): Promise<Source> {
  if (/^https?:\/\//i.test(page)) return await fetchPage(page, flags, command);
  if (page === '-') {
    const pieces: Buffer[] = [];
    for await (const piece of process.stdin) pieces.push(piece as Buffer);
    return { url: 'https://example.invalid/', contentType: undefined, body: Buffer.concat(pieces) };
  }
  try {
    const url = pathToFileURL(page).href;
    return { url, contentType: typeByName(page), body: await readFile(page) };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new HoldfastError('bad_request', `${page} ${unreadable[code] ?? `cannot be read: ${code}`}`, {
      hint: 'Pass a URL that begins with http:// or https://, the path of an HTML or PDF file, or - for standard input.',
    });
  }
}

async function fetchPage(
  url: string,
  { allowPrivate = [] }: ExtractFlags,
  command: Command,
): Promise<Source> {
  const configuration = configurationOf(command);
  const fetcher = throughDefault(
    new HttpFetcher({
      userAgent: configuration.userAgent,
      allowOrigins: [...configuration.allowPrivate, ...allowPrivate.map(originOf)],
    }),
    configuration,
  );
  try {
    const { response } = await fetchFollowing(fetcher, { url }, { maxHops });
    if (response.status !== 200) throw statusFailure(response.status);
    const { contentType } = response;
    if (kindByHead(contentType, response.url) === undefined && !/xml/i.test(contentType ?? ''))
      throw new HoldfastError('bad_request', `${response.url} is ${contentType}, which is not read as text`, {
        hint: whatIsRead,
      });
    return { url: response.url, contentType, body: response.body ?? Buffer.alloc(0) };
  } catch (error) {
    throw error instanceof HoldfastError && error.code === 'address_forbidden' ? withHint(error, url) : error;
  } finally {
    await fetcher.close();
  }
}

function withHint(error: HoldfastError, url: string): HoldfastError {
  const hint = `Only public addresses are fetched. To allow this one: --allow-private ${new URL(url).origin}`;
  return new HoldfastError(error.code, error.detail, { hint });
}
