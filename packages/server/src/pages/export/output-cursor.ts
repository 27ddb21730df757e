import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { judgeProcess, ownIdentity, type ProcessIdentity } from '../../base/process/process-identity.ts';
import { outputUnusable } from './output-unusable.ts';
import type { OutputFormat } from './page-output.ts';

/** How far an output has come. Stands beside it while it is being written, and is what a later process goes on from. */
export interface OutputCursor {
  readonly job: string;
  readonly format: OutputFormat;
  readonly page_no: number;
  /** Of the page with that number: a job that was begun afresh has other pages under the same numbers. */
  readonly url: string | null;
  /** Bytes of the file up to and with that page; what lies behind may be torn. */
  readonly bytes: number;
  readonly complete: boolean;
  /** Who writes now; null when nobody does. */
  readonly writer: ProcessIdentity | null;
}

/** The file that a cursor is kept in. Changed by rename, so that a reader sees the old one or the new one, whole. */
export class OutputCursorFile {
  readonly #path: string;
  readonly #self = ownIdentity();

  constructor(path: string) {
    this.#path = path;
  }

  /** The cursor as it stands, if there is one that can be read. */
  async read(): Promise<OutputCursor | undefined> {
    try {
      const cursor = JSON.parse(await readFile(this.#path, 'utf8')) as OutputCursor;
      return typeof cursor.job === 'string' && Number.isSafeInteger(cursor.page_no) ? cursor : undefined;
    } catch {
      return undefined; // none, or one that a power failure tore: the output is then written anew
    }
  }

  /** Makes sure that no other process writes to the output. */
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

/** Nobody else keeps a cursor alive: what a process of an earlier boot wrote is as silent as can be. */
function isDead(writer: ProcessIdentity): boolean {
  return judgeProcess(writer, Number.POSITIVE_INFINITY) === 'dead';
}
