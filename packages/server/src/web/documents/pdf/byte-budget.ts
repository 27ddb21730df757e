import { brotliDecompressSync, constants, inflateSync, type ZlibOptions } from 'node:zlib';

/** Thrown within the reader when a document wants more memory than it may have. */
class OverBudget extends Error {}

export interface ByteBudget {
  /** Set once something was refused: readers may swallow the error. */
  readonly isOver: boolean;
  /** For the next document. */
  begin(): void;
}

const largestShare = 4;
const checkEvery = 16 * 1024 * 1024;

/**
 * Bounds the memory of typed arrays in this thread. A thread's own limits count JavaScript objects alone, while the streams of a
 * document inflate into typed arrays, a thousandfold if it is a bomb.
 */
export function limitTypedArrays(maxBytes: number): ByteBudget {
  const budget = {
    isOver: false,
    begin() {
      budget.isOver = false;
    },
  };
  let unchecked = 0;
  const take = (bytes: number) => {
    unchecked += bytes;
    const isTooLarge = bytes > maxBytes / largestShare;
    if (!isTooLarge && unchecked < checkEvery) return;
    unchecked = 0;
    if (!isTooLarge && process.memoryUsage().arrayBuffers + bytes <= maxBytes) return;
    budget.isOver = true;
    throw new OverBudget(`it needs more than ${Math.round(maxBytes / 1024 / 1024)} MB of memory`);
  };
  const globals = globalThis as unknown as Record<string, ArrayType>;
  for (const name of [
    'ArrayBuffer',
    'Uint8Array',
    'Uint8ClampedArray',
    'Int8Array',
    'Uint16Array',
    'Int16Array',
    'Uint32Array',
    'Int32Array',
    'Float32Array',
    'Float64Array',
  ]) {
    const type = globals[name] as ArrayType;
    const width = type.BYTES_PER_ELEMENT ?? 1;
    globals[name] = new Proxy(type, {
      construct(target, args, newTarget) {
        const [length] = args as unknown[];
        if (typeof length === 'number') take(length * width);
        else if (isArrayLike(length)) take(length.length * width);
        return Reflect.construct(target, args, newTarget === globals[name] ? target : newTarget);
      },
    });
  }
  globals.DecompressionStream = inflaterOf(maxBytes / largestShare, () => {
    budget.isOver = true;
  }) as unknown as ArrayType;
  return budget;
}

const formats: Readonly<Record<string, (bytes: Uint8Array, options: ZlibOptions) => Buffer>> = {
  deflate: inflateSync,
  brotli: (bytes, { maxOutputLength }) => brotliDecompressSync(bytes, { maxOutputLength }),
};

/** pdf.js inflates most streams by a DecompressionStream, and collects all that comes out of it. */
function inflaterOf(maxOutputLength: number, exceeded: () => void) {
  return class {
    #output: Uint8Array[] = [];
    readonly #format: string;

    constructor(format: string) {
      this.#format = format;
    }

    readonly writable = {
      getWriter: () => ({
        ready: Promise.resolve(),
        close: () => Promise.resolve(),
        write: (bytes: Uint8Array) => Promise.resolve(this.#inflate(bytes)),
      }),
    };

    readonly readable = {
      [Symbol.asyncIterator]: () => {
        const pieces = this.#output.values();
        return { next: () => Promise.resolve(pieces.next()) };
      },
    };

    #inflate(bytes: Uint8Array): void {
      try {
        // What a damaged stream holds before its damage is better than nothing.
        const options = { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH };
        const output = formats[this.#format]?.(bytes, options);
        if (!output) throw new Error(`no ${this.#format}`);
        this.#output = [output];
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') exceeded();
        throw error;
      }
    }
  };
}

type ArrayType = { new (...args: never[]): object; readonly BYTES_PER_ELEMENT?: number };

function isArrayLike(value: unknown): value is { length: number } {
  return (
    typeof value === 'object' && value !== null && typeof (value as { length?: unknown }).length === 'number'
  );
}
