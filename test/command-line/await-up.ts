import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Resolves with the address that `holdfast up` prints, and with what else it prints that `further` has a group for. */
export async function awaitUp(
  { stdout }: ChildProcess,
  further: RegExp,
): Promise<{ address: string; found: string }> {
  if (!stdout) throw new Error('no standard output');
  let address = '';
  for await (const line of createInterface({ input: stdout })) {
    address ||= /^Holdfast is up: (\S+)$/.exec(line)?.[1] ?? '';
    const [, found] = further.exec(line) ?? [];
    if (found) return { address, found };
  }
  throw new Error(`\`holdfast up\` ended without printing ${further}`);
}
