import { createHash } from 'node:crypto';

/** A record of a WARC file: its named fields in order, those without a value left out, and its block. */
export function warcRecord(fields: readonly (readonly [string, string | null])[], block: Buffer): Buffer {
  const lines = fields.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}\r\n`]));
  const head = `WARC/1.1\r\n${lines.join('')}Content-Length: ${block.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), block, Buffer.from('\r\n\r\n')]);
}

/**
 * The id of a record by what it is of: a UUID of version 5 in the name space of the job. The same page has the same id in
 * every export, so files can be put together and an export can be gone on with.
 */
export function recordId(jobId: string, kind: string, url = ''): string {
  const space = Buffer.from(jobId.replaceAll('-', ''), 'hex');
  const bytes = createHash('sha1').update(space).update(`${kind} ${url}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return `<urn:uuid:${parts.join('-')}>`;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** SHA-1 in base 32, as every index of archives has it: it finds equal payloads, and protects nothing. */
export function warcDigest(data: Buffer): string {
  let letters = '';
  let value = 0;
  let bits = 0;
  for (const byte of createHash('sha1').update(data).digest()) {
    // Never more than 4 bits are left over.
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) letters += alphabet[(value >> (bits - 5)) & 31];
  }
  return `sha1:${letters}`;
}
