import { createHash, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Configuration, HoldfastError, settings } from '@holdfast/contract';
import { openDataFolder, syncFolder } from '../database/embedded/cluster-folder.ts';

export interface SecretKey {
  /** Identifies the key without revealing it. */
  readonly id: string;
  readonly key: Buffer;
}

type KeySettings = Pick<Configuration, 'secretKey' | 'dataFolder'>;

/**
 * The keys that encrypt secrets: those of HOLDFAST_SECRET_KEY, or those in the file `secret.key` of the data folder,
 * one per line. The first encrypts, all decrypt. The file is reread when it changes, so a rotation needs no restart.
 */
export class SecretKeys {
  readonly #given: readonly SecretKey[] | undefined;
  readonly #folder: string;
  #read: { readonly version: string; readonly keys: readonly SecretKey[] } | undefined;

  constructor({ secretKey, dataFolder }: KeySettings) {
    this.#given = secretKey.length > 0 ? secretKey.map(keyOf) : undefined;
    this.#folder = dataFolder;
  }

  /** Where the keys come from, for people. */
  get place(): string {
    return this.#given ? settings.secretKey.env : this.#path;
  }

  get isFile(): boolean {
    return this.#given === undefined;
  }

  /** The first encrypts. Empty until a key is created. */
  get all(): readonly SecretKey[] {
    return this.#given ?? this.#fromFile();
  }

  find(id: string): SecretKey | undefined {
    return this.all.find((key) => key.id === id);
  }

  /** The encrypting key, created if missing. If several processes do this at once, one creates it. */
  make(): SecretKey {
    const [first] = this.all;
    if (first) return first;
    const draft = this.#writeDraft([randomBytes(32)]);
    try {
      // Fails if another process was faster; its key counts then.
      linkSync(draft, this.#path);
      syncFolder(this.#folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(this.#path, error);
    } finally {
      rmSync(draft, { force: true });
    }
    const [made] = this.all;
    if (!made) throw unusable(this.#path, new Error('it has no key'));
    return made;
  }

  /** Writes these keys to the file; the first one encrypts. */
  replace(keys: readonly SecretKey[]): void {
    const draft = this.#writeDraft(keys.map(({ key }) => key));
    try {
      renameSync(draft, this.#path);
      syncFolder(this.#folder);
    } catch (error) {
      rmSync(draft, { force: true });
      throw unusable(this.#path, error);
    }
  }

  get #path(): string {
    return join(this.#folder, 'secret.key');
  }

  #writeDraft(keys: readonly Buffer[]): string {
    const draft = `${this.#path}.${process.pid}.${randomBytes(4).toString('hex')}.new`;
    const text = keys.map((key) => `${key.toString('base64')}\n`).join('');
    openDataFolder(this.#folder);
    try {
      writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    } catch (error) {
      throw unusable(this.#path, error);
    }
    return draft;
  }

  #fromFile(): readonly SecretKey[] {
    const path = this.#path;
    try {
      const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
      if (!stat) return [];
      const version = `${stat.ino} ${stat.mtimeNs} ${stat.size}`;
      if (this.#read?.version !== version)
        this.#read = { version, keys: parseKeys(readFileSync(path, 'utf8')) };
      return this.#read.keys;
    } catch (error) {
      throw unusable(path, error);
    }
  }
}

function parseKeys(text: string): SecretKey[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const parsed = settings.secretKey.schema.safeParse(lines.join(','));
  if (!parsed.success || lines.length === 0)
    throw new Error('it does not have a key of 32 bytes in base64 on each line');
  return parsed.data.map(keyOf);
}

function keyOf(base64: string): SecretKey {
  const key = Buffer.from(base64, 'base64');
  const id = createHash('sha256').update('holdfast secret key ').update(key).digest('hex').slice(0, 16);
  return { id, key };
}

/** A new random key. */
export function newKey(): SecretKey {
  return keyOf(randomBytes(32).toString('base64'));
}

function unusable(path: string, error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error;
  return new HoldfastError('secret_key_missing', `${path} cannot be used: ${(error as Error).message}`, {
    cause: error,
  });
}
