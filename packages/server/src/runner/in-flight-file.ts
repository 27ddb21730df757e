import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The number under which a runner finds the file that its supervisor opened for it. */
export const inFlightDescriptor = 4;

/** A url_hash as text; an empty place is blank. */
const placeLength = 36;
const maxPlaces = 1024;

/*
 * Which requests a runner has under way, in a file without a name that it shares with its supervisor: whatever the runner
 * dies of, the supervisor reads what it was doing. Nobody waits for a disk, since the file need not outlive the machine.
 * Messages would cost both sides 100 µs a page, and be late for a page that kills at once.
 */

/** The supervisor's side. */
export class InFlightFile {
  readonly descriptor: number;

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-runner-'));
    this.descriptor = openSync(join(folder, 'in-flight'), 'w+');
    // Windows keeps it while it is open: then the system's own cleaning has to do.
    rmSync(folder, { recursive: true, force: true, maxRetries: 0 });
  }

  read(): string[] {
    const content = Buffer.alloc(maxPlaces * placeLength);
    const length = readSync(this.descriptor, content, 0, content.length, 0);
    const text = content.toString('latin1', 0, length);
    return (text.match(/.{36}/g) ?? []).filter((place) => /^[0-9a-f]/.test(place));
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

/** The runner's side: the url_hash of every request under way. */
export class InFlight {
  readonly #places = new Map<string, number>();
  readonly #free: number[] = [];
  readonly #content = Buffer.alloc(maxPlaces * placeLength, ' ');
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
    writeSync(inFlightDescriptor, this.#content, 0, this.#used * placeLength, 0);
  }
}
