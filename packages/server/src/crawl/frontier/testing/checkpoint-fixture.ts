import type { Queryable } from '../../../base/database/statement.ts';
import type { HeldJob } from '../../../queue/jobs/held-job.ts';
import { urlHash } from '../../../web/urls/hashes.ts';
import type { SavedCheckpoint } from '../checkpoint-statement.ts';
import type { FoundUrl } from '../frontier-entry.ts';
import { type Checkpoint, saveCheckpoint } from '../save-checkpoint.ts';

export const found = (url: string, fields: Partial<FoundUrl> = {}): FoundUrl => ({
  host: 'a.test',
  url,
  url_hash: urlHash(url),
  kind: 'page',
  depth: 1,
  redirects: 0,
  parent: null,
  ...fields,
});

/** The last error of a URL that waits for a retry. */
export const failure = { reason: 'site_error', message: 'HTTP 500', status: 500 };

const nothing: Omit<Checkpoint, 'number'> = {
  found: [],
  pages: [],
  replaced: [],
  done: [],
  postponed: [],
  hosts: new Map(),
  offScope: {},
  bytes: 0,
  currentUrl: null,
  progress: 0,
  discovery: null,
  cookies: [],
};

/** A checkpoint with only the given fields. */
export function save(
  db: Queryable,
  job: HeldJob,
  checkpoint: Partial<Checkpoint> & Pick<Checkpoint, 'number'>,
): Promise<SavedCheckpoint> {
  return saveCheckpoint(db, job, { ...nothing, ...checkpoint });
}
