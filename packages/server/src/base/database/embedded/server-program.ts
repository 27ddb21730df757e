import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { parse } from 'node:path';
import { HoldfastError } from '@holdfast/contract';
import type { ServerAccount } from './server-account.ts';

/** Starts a program of the server as its account. */
export function spawnServerProgram(
  account: ServerAccount,
  program: string,
  programArgs: readonly string[],
  options: SpawnOptions,
) {
  const { file, args, ...user } = account.command(program, programArgs);
  return spawn(file, args, {
    ...options,
    ...user,
    windowsHide: true,
    // The programs refuse to run in a folder that their user cannot enter, as ours may be.
    cwd: parse(program).root,
    env: serverEnvironment(),
  });
}

/** Our environment without PostgreSQL's variables (PGDATA, PGPORT, …), and with messages in English. */
function serverEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name));
  return { ...Object.fromEntries(kept), LC_ALL: 'C' };
}

/** Runs initdb or pg_ctl and waits for its exit. */
export async function runServerProgram(
  account: ServerAccount,
  program: string,
  args: readonly string[],
): Promise<{ code: number; output: string }> {
  const child = spawnServerProgram(account, program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return { code: code ?? -1, output: output.trim() };
  } catch (error) {
    throw cannotRun(program, error);
  }
}

/** A glibc program on a musl system (Alpine) reports that the program itself does not exist. */
export function cannotRun(program: string, error: unknown): HoldfastError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new HoldfastError('embedded_unsupported', `${program} cannot be run here (${code ?? message})`, {
    cause: error,
  });
}
