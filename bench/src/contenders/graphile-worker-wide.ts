import type { Setting } from './contender.ts';

export { open } from './graphile-worker.ts';

/** Beyond its documentation: more at once fill its batches better when jobs take no time. */
export const settings: readonly Setting[] = [{ concurrent: 100 }, { concurrent: 500 }];
