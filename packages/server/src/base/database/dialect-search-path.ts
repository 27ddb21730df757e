import type { ClientBase } from 'pg';

/** That of new sessions of this role in this database: `configured`, if it is set for just these two. */
const readText = `
SELECT current_user AS role, current_database() AS database, current_setting('search_path') AS path, (
  SELECT split_part(setting, '=', 2) FROM pg_db_role_setting, unnest(setconfig) AS setting
  WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND setrole = (SELECT oid FROM pg_roles WHERE rolname = current_user) AND setting LIKE 'search_path=%') AS configured`;

interface SearchPath {
  readonly role: string;
  readonly database: string;
  readonly path: string;
  readonly configured: string | null;
}

const inherited = 'Holdfast added it to the search path';

async function read(client: ClientBase): Promise<SearchPath> {
  return (await client.query<SearchPath>(readText)).rows[0] as SearchPath;
}

const namesDialect = (path: string) => /(^|,)\s*"?dialect"?\s*(,|$)/.test(path);

function alter(client: ClientBase, { role, database }: SearchPath, change: string): Promise<unknown> {
  const [quotedRole, quotedDatabase] = [role, database].map((name) => `"${name.replaceAll('"', '""')}"`);
  return client.query(`ALTER ROLE ${quotedRole} IN DATABASE ${quotedDatabase} ${change}`);
}

/**
 * Puts the schema of the views behind whatever new sessions of this role look through in this database: their names then need no
 * prefix, in psql as in `holdfast sql`.
 */
export async function addToSearchPath(client: ClientBase): Promise<void> {
  const found = await read(client);
  const path = found.configured ?? found.path;
  if (namesDialect(path)) return;
  await alter(client, found, `SET search_path TO ${path}, dialect`);
  // Remembered where it goes with the schema: what was not set before is reset, not set to what it was.
  if (found.configured === null) await client.query(`COMMENT ON SCHEMA dialect IS '${inherited}'`);
}

export async function takeFromSearchPath(client: ClientBase): Promise<void> {
  const found = await read(client);
  if (found.configured === null || !namesDialect(found.configured)) return;
  const { rows } = await client.query(
    `SELECT obj_description(to_regnamespace('dialect'), 'pg_namespace') AS comment`,
  );
  const rest = found.configured.split(',').filter((name) => !namesDialect(name));
  const change =
    rows[0]?.comment === inherited ? 'RESET search_path' : `SET search_path TO ${rest.join(',')}`;
  await alter(client, found, change);
}
