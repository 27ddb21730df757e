import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { HoldfastError } from '@holdfast/contract';

/** The error of an output that cannot or must not be written to. */
export function outputUnusable(
  name: string,
  why: string | Error,
  options: { hint?: string } = {},
): HoldfastError {
  const reason = typeof why === 'string' ? why : plainReason(name, why);
  const code = typeof why === 'object' && isOfTheDisk(why) ? 'output_failed' : 'output_unusable';
  return new HoldfastError(code, `${name}: ${reason}`, {
    ...options,
    ...(typeof why === 'object' && { cause: why }),
  });
}

/** Turns errors of the file system into errors about the output; other errors pass through. */
export async function attemptOn<Result>(name: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? outputUnusable(name, error) : error;
  }
}

export function outputExists(name: string): HoldfastError {
  return outputUnusable(name, 'it exists already, and is not an unfinished output of this job', {
    hint: 'Choose another name with --out, or replace it with --overwrite.',
  });
}

const reasons: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EISDIR: 'it is a folder',
  EEXIST: 'it is a file, not a folder',
  ENAMETOOLONG: 'its name is too long',
};

/** Not the fault of the person who named the output. */
const ofTheDisk = ['ENOSPC', 'EDQUOT', 'EIO', 'EFBIG'];

function isOfTheDisk(error: Error): boolean {
  return ofTheDisk.includes(codeOf(error));
}

function plainReason(name: string, error: Error): string {
  // Some file systems, such as /proc, answer ENOENT for a file that cannot be created in an existing folder.
  if (codeOf(error) === 'ENOENT' && existsSync(dirname(name))) return error.message;
  return reasons[codeOf(error)] ?? error.message;
}

function codeOf(error: Error): string {
  return (error as { code?: string }).code ?? '';
}
