import type { Check } from './examine.ts';

/** Settings that let PostgreSQL forget what it has confirmed. A forgotten claim would hand out its fence twice. */
export const checkDurability: Check = async ({ pool }) => {
  const { rows } = await pool.query<{ name: string; setting: string }>(
    `SELECT name, setting FROM pg_settings
     WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'`,
  );
  if (rows.length === 0)
    return { check: 'durability', state: 'ok', found: 'what is committed survives a crash' };
  return {
    check: 'durability',
    state: 'problem',
    found: rows.map(({ name, setting }) => `${name} = ${setting}`).join(', '),
    advice: 'Turn it on: with it off, a crash of PostgreSQL can lose jobs and pages that were committed.',
  };
};
