import { HoldfastError } from '@holdfast/contract';
import { forbiddenOrigins } from '../../worker/supervisor/forbidden-origins.ts';
import { printable } from '../print-table.ts';

/**
 * A job of private origins waits for a worker that may fetch them. The command is the only worker that can be counted on:
 * if it may not, it says so, instead of waiting for ever.
 */
export function assertMayFetch(payload: Readonly<Record<string, unknown>>, allowed: readonly string[]): void {
  const forbidden = forbiddenOrigins(payload, allowed).map(printable);
  if (forbidden.length === 0) return;
  const flags = forbidden.map((origin) => `--allow-private ${origin}`).join(' ');
  throw new HoldfastError('address_forbidden', forbidden.join(', '), {
    hint: `This crawl was begun with leave to fetch what is not public. Give it again: ${flags}`,
  });
}
