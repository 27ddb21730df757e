import { brotliDecompressSync, constants, inflateSync, type ZlibOptions } from 'node:zlib';

/** Thrown in the parser when a document exceeds its memory limit. */
class OverBudget extends Error {}

export interface ByteBudget {
  /** Set when the limit was reached, because the parser may swallow the error. */
  readonly isOver: boolean;
  /** For the next document. */
  begin(): void;
}

const largestShare = 4;
const checkEvery = 16 * 1024 * 1024;

/**
 * Limits the memory of typed arrays in this thread. A thread's resource limits cover only the JavaScript heap, but a
 * document's streams inflate into typed arrays, a thousandfold in a bomb.
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

/** pdf.js inflates most streams with a DecompressionStream and collects the output. */
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
        // The intact beginning of a damaged stream is better than nothing.
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
