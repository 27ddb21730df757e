import { readFile } from 'node:fs/promises';
import { HoldfastError } from '@holdfast/contract';

/** A file that somebody named on the command line. */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new HoldfastError(
      'bad_request',
      `${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`,
    );
  }
}
