import pg from 'pg';
import type { Statement } from '../../packages/server/src/base/database/statement.ts';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: PlanNode[];
}

/** How a plan reaches a table: an index's name, with `whole` if all of it is read, or the node's type where no index is used. */
export async function accessPaths(
  client: pg.ClientBase,
  { text }: Statement<never>,
  values: readonly unknown[],
  { table, generic }: { table: string; generic: boolean },
): Promise<string[]> {
  await client.query(`SET plan_cache_mode = force_${generic ? 'generic' : 'custom'}_plan`);
  await client.query('DEALLOCATE ALL');
  await client.query(`PREPARE explained AS ${text}`);
  const literals = values.length > 0 ? `(${values.map(literal).join(', ')})` : '';
  const { rows } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE explained ${literals}`);
  const [{ Plan }] = rows[0]['QUERY PLAN'] as [{ Plan: PlanNode }];
  return [...new Set(scans(Plan, table))].sort();
}

function scans(node: PlanNode, table: string): string[] {
  const own =
    node['Relation Name'] === table && node['Node Type'].includes('Scan')
      ? [indexOf(node) ?? indexBelow(node) ?? node['Node Type']]
      : [];
  return [...own, ...(node.Plans ?? []).flatMap((child) => scans(child, table))];
}

function indexOf({ 'Index Name': name, 'Index Cond': condition }: PlanNode): string | undefined {
  return name && condition === undefined ? `${name}, whole` : name;
}

/** A bitmap heap scan names its index one level down. */
function indexBelow(node: PlanNode): string | undefined {
  const index = node.Plans?.find((child) => child['Node Type'] === 'Bitmap Index Scan');
  return index && indexOf(index);
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (!Array.isArray(value)) return pg.escapeLiteral(String(value));
  return pg.escapeLiteral(
    `{${value.map((item) => (item === null ? 'NULL' : JSON.stringify(String(item))))}}`,
  );
}
