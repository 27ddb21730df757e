import { readMigrationState } from '../../base/database/migration-state.ts';
import type { Check } from './examine.ts';

export const checkSchema: Check = async ({ pool }) => {
  const { known, applied, pending, changed } = await readMigrationState(pool);
  const check = 'schema';
  const newest = applied.at(-1)?.version ?? 0;
  const newestKnown = known.at(-1)?.version ?? 0;
  if (newest > newestKnown) {
    return {
      check,
      state: 'problem',
      found: `version ${newest}, made by a newer Holdfast; this one knows ${newestKnown}`,
      advice: 'Upgrade this installation.',
    };
  }
  if (changed.length > 0) {
    return {
      check,
      state: 'problem',
      found: `changed after they were applied: ${changed.map(({ name }) => name).join(', ')}`,
      advice: 'Restore the original files, and put the change into a new migration.',
    };
  }
  if (pending.length > 0) {
    return {
      check,
      state: 'warning',
      found: `version ${newest}; not applied yet: ${pending.map(({ name }) => name).join(', ')}`,
      advice: 'Run `holdfast migrate`, or start anything else of Holdfast: it migrates by itself.',
    };
  }
  return { check, state: 'ok', found: `version ${newest}, up to date` };
};
