import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * What `bin/holdfast.js` loads, once it has looked whether a source is newer: the set-up of all tests did so already, and hundreds
 * of processes need not do it again.
 */
export const holdfastProgram = fileURLToPath(
  new URL('../../packages/server/dist/holdfast.js', import.meta.url),
);

export interface Outcome {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The `holdfast` command as a person runs it: a process of its own, with nothing of ours in its environment. */
export function startHoldfast(args: string[], env: Record<string, string>, cwd?: string): ChildProcess {
  const { DATABASE_URL: _, ...inherited } = process.env;
  return spawn(process.execPath, [holdfastProgram, ...args], {
    env: { ...inherited, ...env },
    ...(cwd && { cwd }),
  });
}

export async function runHoldfast(
  args: string[],
  env: Record<string, string>,
  cwd?: string,
): Promise<Outcome> {
  const child = startHoldfast(args, env, cwd);
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (data) => {
    output.stdout += data;
  });
  child.stderr?.on('data', (data) => {
    output.stderr += data;
  });
  const [exit] = (await once(child, 'close')) as [number | null];
  return { exit, ...output };
}
