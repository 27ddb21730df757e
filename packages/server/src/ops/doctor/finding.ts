import type { Configuration } from '@holdfast/contract';
import type { Database } from '../../base/database/open-database.ts';

/** What one check of `holdfast doctor` found. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly found: string;
  /** What to do about it. */
  readonly advice?: string;
}

export type Check = (database: Database, configuration: Configuration) => Promise<Finding>;
