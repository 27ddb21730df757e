import { HoldfastError } from '@holdfast/contract';

/** An output that cannot be written to, or must not be. */
export function outputUnusable(
  name: string,
  why: string | Error,
  options: { hint?: string } = {},
): HoldfastError {
  const reason = typeof why === 'string' ? why : plainReason(why);
  return new HoldfastError('output_unusable', `${name}: ${reason}`, {
    ...options,
    ...(typeof why === 'object' && { cause: why }),
  });
}

export function outputExists(name: string): HoldfastError {
  return outputUnusable(name, 'it exists already, and is not an unfinished output of this job', {
    hint: 'Name another one with --out, or replace it with --overwrite.',
  });
}

const reasons: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EISDIR: 'it is a folder',
  EEXIST: 'it is a file, not a folder',
  ENAMETOOLONG: 'its name is too long',
};

function plainReason(error: Error): string {
  return reasons[(error as { code?: string }).code ?? ''] ?? error.message;
}
