export interface Remarks {
  readonly tables: ReadonlyMap<string, string>;
  /** By `table.column`. */
  readonly columns: ReadonlyMap<string, string>;
}

/** What the comments of the migrations say of the table or the column right below them. */
export function readRemarks(migrations: readonly string[]): Remarks {
  const tables = new Map<string, string>();
  const columns = new Map<string, string>();
  for (const sql of migrations) {
    let remark: string[] = [];
    let table: string | undefined;
    for (const line of sql.split('\n')) {
      const [, comment] = /^\s*-- ?(.*)$/.exec(line) ?? [];
      if (comment !== undefined) {
        remark.push(comment);
        continue;
      }
      const [, created] = /^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)/.exec(line) ?? [];
      const [, altered] = /^ALTER TABLE (\w+)/.exec(line) ?? [];
      const [, added] = /\bADD COLUMN (?:IF NOT EXISTS )?(\w+)/.exec(line) ?? [];
      const [, listed] = /^ {2}([a-z]\w*)\s+[a-z]/.exec(line) ?? [];
      const text = remark.join(' ');
      if (created && text) tables.set(created, text);
      table = created ?? altered ?? table;
      const column = added ?? (created || altered ? undefined : listed);
      if (table && column && text) columns.set(`${table}.${column}`, text);
      if (/;\s*$/.test(line)) table = undefined;
      remark = [];
    }
  }
  return { tables, columns };
}
