import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runHoldfast } from './run-holdfast.ts';

test('holdfast demo kills a crawl in the middle, loses nothing, and leaves nothing behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-demo-test-'));
  try {
    const { exit, stdout, stderr } = await runHoldfast(['demo'], { TMPDIR: folder }, folder);
    expect(stderr).toMatch(
      /kill -9 \d+: killed the runner, with \d+ pages saved and \d+ requests? in flight\. These requests, and/,
    );
    expect(stderr).toMatch(/The runner process died: SIGKILL; continuing from the last checkpoint/);
    expect(stdout).toMatch(/fetched +192 /);
    expect(stdout).toMatch(/✓ URLs in the database +206 /);
    expect(stdout).toMatch(/✓ pages in the file +192 /);
    expect(stdout).toMatch(
      /repeated after the kill +\d+ {2}\d+ were in flight when the runner died, \d+ answered/,
    );
    expect(stdout).toMatch(/✓ repeated needlessly +0 /);
    expect(stdout).toMatch(/✓ pages lost +0\n/);
    expect(stdout).toContain('nothing was lost');
    expect(exit).toBe(0);
    expect(existsSync(join(folder, '.holdfast'))).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
