import { pageLimit } from '@holdfast/contract';
import { z } from 'zod';
import { checkFlags } from './check-flags.ts';

const limited = z.object({ limit: pageLimit });

/** How many rows of a list may be asked for, as over HTTP. */
export function checkLimit(limit: number | undefined): void {
  checkFlags(limited, { limit });
}
