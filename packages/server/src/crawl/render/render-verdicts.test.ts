import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { type PageGroup, pruneVerdicts, RenderVerdicts } from './render-verdicts.ts';

let database: TestDatabase;
let verdicts: RenderVerdicts;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.pool.query('TRUNCATE render_verdicts');
  verdicts = new RenderVerdicts(database.pool);
});

const group: PageGroup = { host: 'example.com', shape: '/p/*', suspicion: 'empty' };

/** Asks about so many pages one after the other; resolves with how many of them were compared. */
async function ask(pages: number, isNeeded: boolean | undefined, of = group, by = verdicts): Promise<number> {
  let compared = 0;
  for (let page = 0; page < pages; page++)
    await by.decide(of, async () => {
      compared++;
      return isNeeded;
    });
  return compared;
}

describe('the pages of a shape', () => {
  test('are rendered without comparing once the first of them needed it', async () => {
    expect(await ask(10, true)).toBe(3);
    expect(await verdicts.decide(group, async () => false)).toBe(true);
  });

  test('are not rendered once the first of them did not need it', async () => {
    expect(await ask(10, false)).toBe(3);
    expect(await verdicts.decide(group, async () => true)).toBe(false);
  });

  test('follow what another worker found', async () => {
    await ask(3, false);
    expect(await ask(5, true, group, new RenderVerdicts(database.pool))).toBe(0);
  });

  test('are looked at again when the verdict has expired', async () => {
    await ask(3, false);
    await database.pool.query(`UPDATE render_verdicts SET expires_at = now() - interval '1 second'`);
    expect(await ask(10, true, group, new RenderVerdicts(database.pool))).toBe(3);
  });

  test('are forgotten a day after their verdict has expired', async () => {
    const stale = { ...group, host: 'example.org' };
    await ask(3, false);
    await ask(3, false, stale);
    await database.pool.query(
      `UPDATE render_verdicts SET expires_at = now() - interval '25 hours' WHERE host = 'example.org'`,
    );
    await pruneVerdicts(database.pool);
    const { rows } = await database.pool.query('SELECT host FROM render_verdicts');
    expect(rows).toEqual([{ host: 'example.com' }]);
  });

  test('teach nothing when they could not be rendered', async () => {
    expect(await ask(5, undefined)).toBe(5);
    const failing = verdicts.decide(group, async () => {
      throw new Error('the browser died');
    });
    await expect(failing).rejects.toThrow('the browser died');
    const { rows } = await database.pool.query('SELECT * FROM render_verdicts');
    expect(rows).toEqual([]);
  });

  test('wait for the first of them instead of being rendered as well', async () => {
    const release: (() => void)[] = [];
    let compared = 0;
    const pages = Array.from({ length: 20 }, () =>
      verdicts.decide(group, async () => {
        compared++;
        await new Promise<void>((resolve) => release.push(resolve));
        return false;
      }),
    );
    while (release.length < 3) await new Promise((resolve) => setImmediate(resolve));
    for (const done of release) done();
    expect(await Promise.all(pages)).toEqual(Array(20).fill(false));
    expect(compared).toBe(3);
  });
});

test('a host whose pages all have shapes of their own is judged by all of them', async () => {
  let compared = 0;
  for (let page = 0; page < 30; page++) compared += await ask(1, false, { ...group, shape: `/${page}` });
  expect(compared).toBe(12);
});
