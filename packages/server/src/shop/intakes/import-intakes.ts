import {
  HoldfastError,
  type Intake,
  type IntakeRequest,
  intakeRequest,
  maxImportedIntakes,
} from '@holdfast/contract';
import type pg from 'pg';
import type { z } from 'zod';
import { checked } from '../../base/checked.ts';
import { inTransaction, type Queryable, run, statement } from '../../base/database/statement.ts';
import { rematchPoints } from '../points/store-points.ts';
import { valueIntake } from '../valuations/value-intake.ts';
import { intakeColumns } from './find-intakes.ts';
import { fieldOfLine, readCsv } from './read-csv.ts';

interface ImportedIntakes {
  readonly data: Intake[];
  readonly created: number;
  readonly changed: number;
}

/** Stores many intakes, all or none. Intakes with a reference may be imported repeatedly. */
export async function importIntakes(
  pool: pg.Pool,
  owner: string,
  requests: readonly IntakeRequest[],
): Promise<ImportedIntakes> {
  const given = requests.map((request, at) => checked(intakeRequest, request, `intakes.${at}`));
  refuseTwins(given);
  return inTransaction(pool, async (db) => {
    const stored = await storeIntakes(db, owner, given);
    for (const { is_new, ...intake } of stored) {
      if (is_new) continue;
      await rematchPoints(db, intake);
      await valueIntake(db, intake);
    }
    const created = stored.filter(({ is_new }) => is_new).length;
    return {
      data: stored.map(({ is_new: _, ...intake }) => intake),
      created,
      changed: stored.length - created,
    };
  });
}

function refuseTwins(requests: readonly { reference?: string | null | undefined }[]): void {
  const seen = new Set<string>();
  for (const { reference } of requests) {
    if (reference == null) continue;
    if (seen.has(reference)) throw new HoldfastError('bad_request', `reference ${reference} appears twice`);
    seen.add(reference);
  }
}

interface StoredIntake extends Intake {
  /** False: an intake with the same reference existed and was changed. */
  readonly is_new: boolean;
}

/** Ids follow the given order; rows are written in the order of their references, so that two imports never deadlock. */
const storeStatement = statement<StoredIntake & { position: number }>(
  'store-intakes',
  `
WITH given AS MATERIALIZED (
  SELECT * FROM (
    SELECT uuid_v7() AS id, * FROM jsonb_to_recordset($2::jsonb) AS given (position integer, reference text, title text,
      attributes jsonb, must_agree text[], currency text, tags text[])
    ORDER BY position
  ) numbered
  ORDER BY reference, position
),
stored AS (
  INSERT INTO intakes AS intake (id, user_id, reference, title, attributes, must_agree, currency, tags)
  SELECT id, $1, reference, title, attributes, must_agree, currency, tags FROM given
  ON CONFLICT (user_id, reference) DO UPDATE SET title = excluded.title, attributes = excluded.attributes,
    must_agree = excluded.must_agree, currency = excluded.currency, tags = excluded.tags, updated_at = now()
  RETURNING ${intakeColumns}, xmax = 0 AS is_new
)
SELECT stored.*, given.position FROM stored
JOIN given ON given.id = stored.id OR given.reference = stored.reference
ORDER BY given.position`,
);

/** Inserts intakes, or overwrites those with the same reference. Returns them in the given order. */
async function storeIntakes(
  db: Queryable,
  owner: string,
  requests: readonly z.output<typeof intakeRequest>[],
): Promise<StoredIntake[]> {
  const given = requests.map((request, position) => ({ ...request, position }));
  const rows = await run(db, storeStatement, [owner, JSON.stringify(given)]);
  return rows.map(({ position: _, ...intake }) => intake);
}

/** Reads intakes from CSV. Columns that are not fields of an intake become attributes; lists are separated by ; or |. */
export function intakesFromCsv(csv: string): IntakeRequest[] {
  const lines = new Map<string, number>();
  return readCsv(csv, maxImportedIntakes).map(({ line, cells }) => {
    const { title, reference, currency, tags, must_agree, ...attributes } = cells;
    const request = {
      ...(title !== undefined && { title }),
      ...(reference !== undefined && { reference }),
      ...(currency !== undefined && { currency }),
      ...(tags !== undefined && { tags: listOf(tags) }),
      ...(must_agree !== undefined && { must_agree: listOf(must_agree) }),
      attributes,
    };
    // Checked here, where the line number is known.
    checked(intakeRequest, request, fieldOfLine(line));
    if (reference !== undefined) {
      const before = lines.get(reference);
      if (before !== undefined)
        throw new HoldfastError(
          'bad_request',
          `reference ${reference} is in line ${before} and in line ${line}`,
        );
      lines.set(reference, line);
    }
    return request;
  });
}

function listOf(cell: string): string[] {
  return cell
    .split(/[;|]/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
