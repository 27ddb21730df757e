import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const reader = fileURLToPath(new URL('read_warc.py', import.meta.url));

export interface ReadRecord {
  /** By lower-case name. */
  readonly fields: Record<string, string>;
  readonly http: { status: number; headers: Record<string, string> } | null;
  readonly payload: Buffer;
}

/** Reads a WARC file with a reader that shares nothing with what wrote it; fails where the file is not to the standard. */
export function readWarc(file: string | Buffer): ReadRecord[] {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-warc-'));
  try {
    const path = typeof file === 'string' ? file : join(folder, 'file.warc');
    if (typeof file !== 'string') writeFileSync(path, file);
    const { status, stdout, stderr } = spawnSync('python3', [reader, path], {
      encoding: 'utf8',
      maxBuffer: 100_000_000,
    });
    if (status !== 0) throw new Error(stderr);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => {
        const record = JSON.parse(line);
        return { ...record, payload: Buffer.from(record.payload, 'base64') };
      });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
