import type pg from 'pg';
import {
  migrationsFolder,
  readMigrationFiles,
} from '../../packages/server/src/base/database/migration-state.ts';
import { columnNotes } from './column-notes.ts';
import { type Remarks, readRemarks } from './read-remarks.ts';
import { tablePurposes } from './table-purposes.ts';

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly standard: string | null;
  /** From COMMENT ON, which a later migration may correct. */
  readonly comment: string | null;
  readonly tableComment: string | null;
}

interface Key {
  readonly table: string;
  readonly definition: string;
}

const columnsText = `
SELECT class.relname AS table, attname AS name, format_type(atttypid, atttypmod) AS type, attnotnull AS required,
  pg_get_expr(adbin, adrelid) AS standard, col_description(attrelid, attnum) AS comment,
  obj_description(attrelid, 'pg_class') AS "tableComment"
FROM pg_attribute JOIN pg_class class ON class.oid = attrelid
LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
WHERE class.relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped
ORDER BY class.relname, attnum`;

const keysText = `
SELECT conrelid::regclass::text AS table, pg_get_constraintdef(pg_constraint.oid) AS definition FROM pg_constraint
WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'u', 'f') AND conparentid = 0
ORDER BY 1, contype <> 'p', 2`;

const enumsText = `
SELECT typname AS name, string_agg(enumlabel, ', ' ORDER BY enumsortorder) AS values
FROM pg_enum JOIN pg_type ON pg_type.oid = enumtypid GROUP BY typname ORDER BY typname`;

/** docs/schema.md, from a migrated database, the notes beside this file, and the comments of the migrations. */
export async function schemaPage(pool: pg.Pool): Promise<string> {
  const { rows: columns } = await pool.query<Column>(columnsText);
  const { rows: keys } = await pool.query<Key>(keysText);
  const { rows: enums } = await pool.query<{ name: string; values: string }>(enumsText);
  const remarks = readRemarks(readMigrationFiles(migrationsFolder()).map(({ sql }) => sql));
  const commented = withComments(remarks, columns);
  const tables = [...new Set(columns.map(({ table }) => table))];
  return `<!-- Generated from a migrated database by \`npx vitest run test/docs/schema.test.ts -u\`. Do not edit. -->

# Schema

Tables and columns of the database. Query them freely, but change data only through the commands, the API or the
[documented statements](source-documents.md#sql). The schema is not a stable interface: any version may change it
([migrations](../packages/server/migrations)).

${list(
  ['table', ''],
  tables.map((table) => [`[\`${table}\`](#${table})`, purposeOf(table, commented)]),
)}

## Values

${list(
  ['type', 'values'],
  enums.map(({ name, values }) => [`\`${name}\``, values]),
)}

${tables.map((table) => tableSection(table, columns, keys, commented)).join('\n\n')}
`;
}

function withComments({ tables, columns }: Remarks, rows: readonly Column[]): Remarks {
  return {
    tables: new Map([
      ...tables,
      ...rows.flatMap(({ table, tableComment }) => (tableComment ? [[table, tableComment] as const] : [])),
    ]),
    columns: new Map([
      ...columns,
      ...rows.flatMap(({ table, name, comment }) =>
        comment ? [[`${table}.${name}`, comment] as const] : [],
      ),
    ]),
  };
}

function tableSection(table: string, columns: Column[], keys: Key[], remarks: Remarks): string {
  const rows = columns
    .filter((column) => column.table === table)
    .map(({ name, type, required, standard }) => [
      `\`${name}\``,
      type + (required ? '' : ', may be null'),
      standard === null ? '' : `\`${standard}\``,
      columnNotes[`${table}.${name}`] ?? remarks.columns.get(`${table}.${name}`) ?? '',
    ]);
  const definitions = keys.filter((key) => key.table === table).map(({ definition }) => `\`${definition}\``);
  return [
    `## ${table}`,
    tablePurposes[table] ?? remarks.tables.get(table),
    list(['column', 'type', 'default', ''], rows),
    definitions.length > 0 && `Keys: ${definitions.join(', ')}.`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

function purposeOf(table: string, { tables }: Remarks): string {
  const remark = tables.get(table) ?? '';
  return tablePurposes[table] ?? (/^.*?[.:](?=\s|$)/.exec(remark)?.[0].replace(/:$/, '.') || remark);
}

function list(headers: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(headers), line(headers.map(() => '---')), ...rows.map(line)].join('\n');
}
