export interface RobotsLine {
  readonly key: string;
  /** One character for each byte, as the file's encoding cannot be trusted. */
  readonly value: string;
}

/** So much of a robots.txt is read. RFC 9309 asks for at least 500 KiB. */
export const robotsBytes = 512 * 1024;
/** Google's limit: eight times the longest URL that browsers took. */
const maxLineLength = 16_664;

/** The `key: value` lines of a robots.txt, with all that people get wrong about line ends, colons and byte order marks. */
export function* robotsLines(bytes: Uint8Array): Generator<RobotsLine> {
  const text = byteText(bytes.subarray(0, robotsBytes));
  const lines = text.split(/\r\n|\r|\n/);
  // The end of a file that was cut off may be half a rule, unless the cut is behind all that would be read of the line.
  if (bytes.length > robotsBytes && !isReadable(lines.at(-1) ?? '')) lines.pop();
  for (const line of lines) {
    const parsed = parseLine(line.slice(0, maxLineLength));
    if (parsed) yield parsed;
  }
}

const isReadable = (line: string): boolean => line.includes('#') || line.length >= maxLineLength;

function parseLine(line: string): RobotsLine | null {
  const text = (line.split('#', 1)[0] as string).trim();
  const colon = text.indexOf(':');
  if (colon > 0)
    return { key: text.slice(0, colon).trim().toLowerCase(), value: text.slice(colon + 1).trim() };
  // Without a colon, two words are taken for a key and its value.
  const words = text.split(/[ \t]+/);
  if (colon === 0 || words.length !== 2) return null;
  return { key: (words[0] as string).toLowerCase(), value: words[1] as string };
}

const utf8Mark = [0xef, 0xbb, 0xbf];

function byteText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const utf16 =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : '';
  if (utf16) return Buffer.from(new TextDecoder(utf16).decode(bytes)).toString('latin1');
  // As much of a UTF-8 mark as there is: it is often cut.
  let start = 0;
  while (start < 3 && bytes[start] === utf8Mark[start]) start++;
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, bytes.byteLength - start).toString('latin1');
}
