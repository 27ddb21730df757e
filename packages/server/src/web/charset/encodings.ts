import { isAscii, isUtf8, transcode } from 'node:buffer';

/** Where windows-1252 differs from Latin-1: 0x80 to 0x9f. */
const windows1252 =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
  '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

/** Decodes bytes in an encoding named as in the Encoding Standard. Invalid bytes become U+FFFD. */
export function decodeBytes(bytes: Uint8Array, encoding: string): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (encoding === 'utf-8') return decodeUtf8(buffer);
  // Node 20's TextDecoder treats windows-1252 as Latin-1 and turns curly quotes into control characters.
  if (encoding === 'windows-1252') return decodeWindows1252(buffer);
  try {
    return new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
  } catch {
    return decodeWindows1252(buffer);
  }
}

/** Through UTF-16 it takes 7 µs for 15 KB of German or Japanese, with toString 50 to 65; ASCII takes 1 µs. */
function decodeUtf8(buffer: Buffer): string {
  if (isAscii(buffer)) return buffer.toString('latin1');
  return isUtf8(buffer) ? transcode(buffer, 'utf8', 'utf16le').toString('utf16le') : buffer.toString('utf8');
}

function decodeWindows1252(buffer: Buffer): string {
  return buffer
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (char) => windows1252[char.charCodeAt(0) - 0x80] as string);
}

const known = new Map<string, string | null>();
const knownLimit = 200;

/** The Encoding Standard's name for a label (`latin1` → `windows-1252`); null if it is unknown. */
export function encodingName(label: string): string | null {
  const key = label.trim().toLowerCase();
  const name = known.get(key);
  if (name !== undefined) return name;
  if (key === '' || key.length > 40) return null;
  if (known.size >= knownLimit) known.clear();
  const found = lookUp(key);
  known.set(key, found);
  return found;
}

function lookUp(label: string): string | null {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return label === 'x-user-defined' ? label : null;
  }
}
