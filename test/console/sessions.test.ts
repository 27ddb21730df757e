import { expect, test } from 'vitest';
import { makeLoginLink } from '../../packages/server/src/queue/access/sessions.ts';
import { ConsoleFixture } from './console-fixture.ts';

const console = new ConsoleFixture();

test('a key signs in, a wrong one is told so, and signing out ends it', async () => {
  const page = await console.newPage();
  await page.goto('/jobs');
  await page.getByLabel('API key').fill('hf_wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('API key').fill(await console.api.key({ name: 'mine' }));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
  expect(await page.evaluate(() => document.cookie)).toBe('');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').waitFor();
  expect((await page.request.get('/api/v1/jobs')).status()).toBe(401);
});

test('a link signs in once', async () => {
  await console.api.key({ scopes: ['admin'], user_id: 'local' });
  const link = await makeLoginLink(console.pool);
  const page = await console.newPage();
  await page.goto(`/login#link=${link}`);
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  expect(page.url()).toBe(`${console.api.address}/`);
  const other = await console.newPage();
  await other.goto(`/login#link=${link}`);
  await other.getByRole('alert').getByText('This link was already used').waitFor();
});

test('a session that is over leads to signing in, wherever one is', async () => {
  const page = await console.signedIn();
  await page.goto('/jobs');
  await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
  await console.pool.query(`UPDATE sessions SET expires_at = now() - interval '1 s'`);
  await page.getByRole('link', { name: 'Policies' }).click();
  await page.getByLabel('API key').waitFor();
});

test('a viewer sees everything and can change nothing', async () => {
  const { rows } = await console.pool.query<{ id: string }>(
    `INSERT INTO crawl_jobs (kind, payload) VALUES ('crawl', '{"url": "https://example.com/"}') RETURNING id`,
  );
  const id = rows[0]?.id;
  await console.pool.query(`INSERT INTO crawl_policies (kind, url) VALUES ('crawl', 'https://example.com/')`);
  await console.pool.query(
    `INSERT INTO sources (id, name, configured, paused_until, pause_reason) VALUES ('a', 'a.example', true, 'infinity', 'operator')`,
  );
  await console.pool.query(`INSERT INTO bots (bot_id, user_id) VALUES ('bot-001', 'local')`);
  const intake = await console.value(`INSERT INTO intakes (title) VALUES ('Ducat') RETURNING id`);
  const page = await console.signedIn({ scopes: ['jobs:read'] });
  for (const [path, shown] of [
    ['/', 'Last jobs'],
    ['/jobs', 'https://example.com/'],
    [`/jobs/${id}`, 'Current state'],
    ['/policies', 'https://example.com/'],
    ['/intakes', 'Ducat'],
    [`/intakes/${intake}`, 'no price has been observed yet'],
    ['/sources', 'a.example'],
    ['/bots', 'bot-001'],
    ['/keys', 'Only admins can manage keys'],
  ] as const) {
    await page.goto(path);
    await page.getByRole('main').getByText(shown).first().waitFor();
    const buttons = await page.getByRole('main').getByRole('button').allTextContents();
    const acting =
      /pause|resume|cancel|mark|reset|new|crawl a site|run|revoke|disable|enable|edit|act on|collect|import|add prices|delete/i;
    expect([path, buttons.filter((text) => acting.test(text.replace(/^(paused|cancelled)\d/, '')))]).toEqual([
      path,
      [],
    ]);
    expect(await page.getByRole('main').getByRole('checkbox').count()).toBe(0);
  }
  const refused = await page.evaluate(async (job) => {
    const { csrf_token } = await (await fetch('/api/session')).json();
    const headers = { 'x-csrf-token': csrf_token, 'content-type': 'application/json' };
    return (await fetch(`/api/v1/jobs/${job}/cancel`, { method: 'POST', headers, body: '{}' })).status;
  }, id);
  expect(refused).toBe(403);
});
