import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { judgeProcess, ownIdentity, type ProcessIdentity } from '../../base/process/process-info.ts';
import { outputUnusable } from './output-unusable.ts';
import type { OutputFormat } from './page-output.ts';

/** How far an output has been written. Kept beside it meanwhile, so that a later process can resume it. */
export interface OutputCursor {
  readonly job: string;
  readonly format: OutputFormat;
  readonly page_no: number;
  /** URL of that page: a job that was begun afresh has other pages under the same numbers. */
  readonly url: string | null;
  /** Bytes of the file up to and including that page; what follows may be torn. */
  readonly bytes: number;
  readonly complete: boolean;
  /** The process that writes now, if any. */
  readonly writer: ProcessIdentity | null;
}

/** The file of a cursor. Replaced by rename, so that a reader sees either the old one or the new one whole. */
export class OutputCursorFile {
  readonly #path: string;
  readonly #self = ownIdentity();

  constructor(path: string) {
    this.#path = path;
  }

  /** The cursor, if there is one that can be read. */
  async read(): Promise<OutputCursor | undefined> {
    try {
      const cursor = JSON.parse(await readFile(this.#path, 'utf8')) as OutputCursor;
      return typeof cursor.job === 'string' && Number.isSafeInteger(cursor.page_no) ? cursor : undefined;
    } catch {
      return undefined; // missing, or torn by a power failure: the output is then written anew
    }
  }

  /** Throws when another process is writing to the output. */
  async assertFree(name: string): Promise<void> {
    const writer = (await this.read())?.writer;
    if (!writer || this.#isSelf(writer) || !isAlive(writer)) return;
    throw outputUnusable(name, `process ${writer.pid} is writing to it`, {
      hint: 'Wait for that command to end, or name another file with --out.',
    });
  }

  async write(name: string, cursor: Omit<OutputCursor, 'writer'>, writing: boolean): Promise<void> {
    await this.assertFree(name);
    const temporary = `${this.#path}.${process.pid}`;
    await writeFile(temporary, `${JSON.stringify({ ...cursor, writer: writing ? this.#self : null })}\n`);
    await rename(temporary, this.#path);
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }

  #isSelf({ host, pid, processStart }: ProcessIdentity): boolean {
    return host === this.#self.host && pid === this.#self.pid && processStart === this.#self.processStart;
  }
}

function isAlive(writer: ProcessIdentity): boolean {
  if (writer.host !== ownIdentity().host || isDead(writer)) return false;
  try {
    process.kill(writer.pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
}

/** Any silence will do as proof: a process of an earlier boot is dead. */
function isDead(writer: ProcessIdentity): boolean {
  return judgeProcess(writer, Number.POSITIVE_INFINITY) === 'dead';
}
