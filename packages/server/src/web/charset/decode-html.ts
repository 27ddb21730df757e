import { isAscii, isUtf8 } from 'node:buffer';
import { decodeBytes, encodingName } from './encodings.ts';
import { charsetOfContent, declared, prescanMeta } from './prescan-meta.ts';

export interface DecodedHtml {
  readonly text: string;
  /** The Encoding Standard's name, in lower case. */
  readonly encoding: string;
}

/** HTML requires the declaration of the encoding within these bytes. */
const earlyBytes = 1024;
/** A later declaration is accepted up to here, as browsers do by starting again. */
const lateBytes = 64 * 1024;

/** Decodes a page. Never throws: invalid bytes become U+FFFD. */
export function decodeHtml(bytes: Uint8Array, contentType?: string | null): DecodedHtml {
  const mark = byteOrderMark(bytes);
  if (mark) return { text: decodeBytes(bytes.subarray(mark.length), mark.encoding), encoding: mark.encoding };
  const encoding = encodingByHeader(contentType) ?? encodingByLook(bytes, contentType);
  return { text: decodeBytes(bytes, encoding), encoding };
}

function byteOrderMark([first, second, third]: Uint8Array): { encoding: string; length: number } | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return { encoding: 'utf-8', length: 3 };
  if (first === 0xff && second === 0xfe) return { encoding: 'utf-16le', length: 2 };
  if (first === 0xfe && second === 0xff) return { encoding: 'utf-16be', length: 2 };
  return null;
}

function encodingByHeader(contentType: string | null | undefined): string | null {
  const label = contentType ? charsetOfContent(contentType) : null;
  const encoding = label === null ? null : encodingName(label);
  return encoding === 'x-user-defined' ? 'windows-1252' : encoding;
}

function encodingByLook(bytes: Uint8Array, contentType: string | null | undefined): string {
  if (bytes[0] === 0x3c && bytes[1] === 0) return 'utf-16le';
  if (bytes[0] === 0 && bytes[1] === 0x3c) return 'utf-16be';
  const mayDeclare = !contentType || /html|xml/i.test(contentType);
  const early = mayDeclare ? declaredWithin(bytes, earlyBytes) : null;
  if (early !== null) return early;
  // Valid UTF-8 beyond ASCII is UTF-8: no other encoding looks like it by chance. Browsers cannot check this while a page loads,
  // but here it is complete.
  if (isUtf8(bytes) && !isAscii(bytes)) return 'utf-8';
  return (mayDeclare ? declaredWithin(bytes, lateBytes) : null) ?? 'windows-1252';
}

function declaredWithin(bytes: Uint8Array, limit: number): string | null {
  const length = Math.min(bytes.byteLength, limit);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('latin1');
  return prescanMeta(text) ?? declared(xmlEncoding(text));
}

function xmlEncoding(text: string): string | null {
  const label = /^<\?xml\s[^>]*?encoding\s*=\s*["']([^"'>]*)["']/.exec(text)?.[1];
  return label === undefined ? null : encodingName(label);
}
