import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where a program of the system is, if it has it. Debian keeps those for operators off the path of others. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
