import { HoldfastError } from '@holdfast/contract';
import { compilePatterns } from './compile-pattern.ts';

/** Refuses patterns that no crawl could use, where they are given: a runner would find out much later. */
export function checkPatterns(options: { readonly [name: string]: unknown }, within: string): void {
  for (const name of ['include', 'exclude']) {
    const patterns = options[name];
    if (!Array.isArray(patterns)) continue;
    const field = `${within}.${name}`;
    try {
      compilePatterns(patterns, field);
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      const { detail: message = error.message, hint } = error;
      throw new HoldfastError('bad_request', `${field}: ${message}`, {
        cause: error,
        hint,
        details: [{ field, message }],
      });
    }
  }
}
