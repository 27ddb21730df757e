import {
  HoldfastError,
  type Intake,
  type IntakeRequest,
  intakeRequest,
  maxImportedIntakes,
} from '@holdfast/contract';
import type pg from 'pg';
import { checked } from '../../base/checked.ts';
import { inTransaction } from '../../base/database/statement.ts';
import { rematchPoints } from '../points/rematch-points.ts';
import { valueIntake } from '../valuations/value-intake.ts';
import { fieldOfLine, readCsv } from './read-csv.ts';
import { storeIntakes } from './store-intakes.ts';

export interface ImportedIntakes {
  readonly data: Intake[];
  readonly created: number;
  readonly changed: number;
}

/** Stores many intakes, all or none. Those with a reference can be imported again and again. */
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

/** Columns that are fields of an intake are these; every other one is an attribute. Lists have semicolons or | in them. */
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
    // Here already, where the line is known.
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

function refuseTwins(requests: readonly { reference?: string | null | undefined }[]): void {
  const seen = new Set<string>();
  for (const { reference } of requests) {
    if (reference == null) continue;
    if (seen.has(reference)) throw new HoldfastError('bad_request', `reference ${reference} is there twice`);
    seen.add(reference);
  }
}
