import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The file descriptor under which a runner finds the file that its supervisor opened for it. */
export const inFlightDescriptor = 4;

/** The length of a url_hash as text; a free place is blank. */
const placeLength = 36;
const maxPlaces = 1024;
const contentLength = maxPlaces * placeLength;

/*
 * A runner's requests in flight, in an unnamed file shared with its supervisor, which can read it however the runner
 * died. It is never synced, because it need not survive the machine. Messages would cost more and arrive too late for a
 * page that kills the runner at once (ADR 32).
 */

/** The supervisor's side. */
export class InFlightFile {
  readonly descriptor: number;

  private constructor(descriptor: number) {
    this.descriptor = descriptor;
  }

  /**
   * In the first folder with space. Undefined if none has space: the runner works, but its death identifies no
   * suspects.
   */
  static open(folders: readonly string[] = [tmpdir(), '/dev/shm']): InFlightFile | undefined {
    for (const folder of folders) {
      try {
        return new InFlightFile(openNameless(folder));
      } catch {
        // full, read-only, or not there
      }
    }
    return undefined;
  }

  read(): string[] {
    const content = Buffer.alloc(contentLength);
    const length = readSync(this.descriptor, content, 0, content.length, 0);
    const text = content.toString('latin1', 0, length);
    return (text.match(/.{36}/g) ?? []).filter((place) => /^[0-9a-f]/.test(place));
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

/** Written in full size at once, so that a disk that fills up later does not matter. */
function openNameless(parent: string): number {
  const folder = mkdtempSync(join(parent, 'holdfast-runner-'));
  let descriptor: number | undefined;
  try {
    descriptor = openSync(join(folder, 'in-flight'), 'w+');
    const blank = Buffer.alloc(contentLength, ' ');
    if (writeSync(descriptor, blank, 0, blank.length, 0) < blank.length) throw new Error('the disk is full');
    return descriptor;
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor);
    throw error;
  } finally {
    // Windows keeps an open file; the system cleans up its temporary folder later.
    rmSync(folder, { recursive: true, force: true, maxRetries: 0 });
  }
}

/** The runner's side: the url_hash of every request in flight. */
export class InFlight {
  readonly #places = new Map<string, number>();
  readonly #free: number[] = [];
  readonly #content = Buffer.alloc(contentLength, ' ');
  #used = 0;
  #isChanged = false;

  get size(): number {
    return this.#places.size;
  }

  add(urlHash: string): void {
    const place = this.#free.pop() ?? this.#used++;
    this.#places.set(urlHash, place);
    this.#content.write(urlHash, place * placeLength, placeLength, 'latin1');
    this.#isChanged = true;
  }

  delete(urlHash: string): void {
    const place = this.#places.get(urlHash);
    if (place === undefined) return;
    this.#places.delete(urlHash);
    this.#free.push(place);
    this.#content[place * placeLength] = 0x20;
    this.#isChanged = true;
  }

  /** Writes the changes to the file. To be called before a response to anything added can arrive. */
  publish(): void {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    try {
      writeSync(inFlightDescriptor, this.#content, 0, this.#used * placeLength, 0);
    } catch {
      // The file is only a diagnostic aid.
    }
  }
}
