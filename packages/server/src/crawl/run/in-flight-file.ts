import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The number under which a runner finds the file that its supervisor opened for it. */
export const inFlightDescriptor = 4;

/** A url_hash as text; an empty place is blank. */
const placeLength = 36;
const maxPlaces = 1024;
const contentLength = maxPlaces * placeLength;

/*
 * Which requests a runner has under way, in a file without a name that it shares with its supervisor: whatever the runner
 * dies of, the supervisor reads what it was doing. Nobody waits for a disk, since the file need not outlive the machine.
 * Messages would cost both sides 100 µs a page, and be late for a page that kills at once.
 */

/** The supervisor's side. */
export class InFlightFile {
  readonly descriptor: number;

  private constructor(descriptor: number) {
    this.descriptor = descriptor;
  }

  /**
   * In the first folder that has room for it; undefined where none has. A runner works without it: what it was doing when it
   * died is not known then, and no URL becomes suspect.
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

/** Written in full, so that it has its room before the runner starts: a disk that fills up later cannot disturb it. */
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
    // Windows keeps it while it is open: then the system's own cleaning has to do.
    rmSync(folder, { recursive: true, force: true, maxRetries: 0 });
  }
}

/** The runner's side: the url_hash of every request under way. */
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

  /** Lets the supervisor know. To be called before anything can come back of what was added. */
  publish(): void {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    try {
      writeSync(inFlightDescriptor, this.#content, 0, this.#used * placeLength, 0);
    } catch {
      // It only helps to explain a death: no reason to die.
    }
  }
}
