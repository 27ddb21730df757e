import { constants, createDeflateRaw } from 'node:zlib';

const megabyte = 1024 * 1024;

/**
 * A gzip body of `megabytes` of zeros without deflating them all: a fully flushed block stands on its own and can be
 * repeated. Its checksum is wrong, which nobody should live to see.
 */
export async function zeros(megabytes: number): Promise<Buffer> {
  const block = await deflatedMegabyte();
  const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  return Buffer.concat([header, ...Array.from({ length: megabytes }, () => block), Buffer.from([3, 0])]);
}

function deflatedMegabyte(): Promise<Buffer> {
  return new Promise((resolve) => {
    const deflate = createDeflateRaw({ level: 9 });
    const chunks: Buffer[] = [];
    deflate.on('data', (chunk) => chunks.push(chunk));
    deflate.write(Buffer.alloc(megabyte));
    deflate.flush(constants.Z_FULL_FLUSH, () => resolve(Buffer.concat(chunks)));
  });
}
