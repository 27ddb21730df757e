import type { WriteOutcome } from '../../queue/jobs/held-job.ts';

/** What became of a job whose runner ended without it, in the words that docs/operations.md explains; undefined: not known. */
export function whatBecame(outcome: WriteOutcome | undefined): string {
  switch (outcome) {
    case undefined:
      return 'its job is recovered when its lease has run out';
    case 'pending':
      return 'its job is tried again';
    case 'failed':
      return 'its job has failed: its retries are spent';
    case 'lost':
      return 'its job was not its own any more';
    default:
      return `its job is ${outcome}, as was asked`;
  }
}
