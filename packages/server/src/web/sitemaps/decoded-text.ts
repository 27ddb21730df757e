import { encodingName } from '../charset/encoding-name.ts';
import { peek } from './text-stream.ts';

/** An XML declaration is shorter. */
const declarationBytes = 256;

/** A text's bytes as strings, by byte order mark, the look of UTF-16, the XML declaration; else UTF-8. */
export async function* decodedText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const { head, whole } = await peek(chunks, declarationBytes);
  const decoder = new TextDecoder(encodingOf(head));
  for await (const chunk of whole) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

function encodingOf(head: Buffer): string {
  const [first, second] = head;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  const label = /^(?:\xef\xbb\xbf)?\s*<\?xml[^>]*?encoding\s*=\s*["']([^"']*)/.exec(
    head.toString('latin1', 0, declarationBytes),
  )?.[1];
  const declared = label === undefined ? null : encodingName(label);
  return declared === null || declared.startsWith('utf-16') || declared === 'x-user-defined'
    ? 'utf-8'
    : declared;
}
