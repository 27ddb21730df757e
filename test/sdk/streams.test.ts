import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import type { EventMessage, JobMessage } from '@holdfast/sdk';
import { beforeEach, expect, test } from 'vitest';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { crawl, SdkFixture } from './sdk-fixture.ts';

const fixture = new SdkFixture();
const { api, line } = fixture;
beforeEach(() => fixture.pool.query('TRUNCATE crawl_jobs, job_events, crawl_states'));

const newJob = async () => (await enqueueJob(fixture.pool, { ...crawl, user_id: 'alice' })).job;

/** `job/number` of every stored event, in the order of the stream. */
async function stored(): Promise<string[]> {
  const { rows } = await fixture.pool.query<{ name: string }>(
    `SELECT job_id || '/' || event_no AS name FROM job_events ORDER BY tx, job_id, event_no`,
  );
  return rows.map(({ name }) => name);
}

/** Collects what a stream says until it is left. */
class Heard<Message extends EventMessage | JobMessage> {
  readonly messages: Message[] = [];
  readonly #leaving = new AbortController();
  readonly done: Promise<unknown>;

  constructor(open: (signal: AbortSignal) => AsyncGenerator<Message>) {
    this.done = (async () => {
      for await (const message of open(this.#leaving.signal)) this.messages.push(message);
    })().catch((error: unknown) => error);
  }

  get names(): string[] {
    return this.messages.flatMap((message) =>
      message.type === 'transition' ? `${message.data.job_id}/${message.data.event_no}` : [],
    );
  }

  async until(name: string): Promise<void> {
    await expect.poll(() => this.names, { timeout: 20_000, interval: 20 }).toContain(name);
  }

  async leave(): Promise<unknown> {
    this.#leaving.abort(new Error('left'));
    return await this.done;
  }
}

test('all events are heard once and in order, across restarts of the API and connections that are cut', async () => {
  const holdfast = await fixture.client();
  const disconnections: unknown[] = [];
  const heard = new Heard((signal) =>
    holdfast.events.stream({}, { signal, onDisconnect: (error) => disconnections.push(error) }),
  );
  // The stream starts when it is open: whatever comes after its first event has to be heard.
  const first = await firstHeard(heard);
  const writing = new AbortController();
  const writers = [1, 2, 3].map(async () => {
    while (!writing.signal.aborted) {
      await newJob();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });
  await heard.until(`${(await newJob()).id}/1`);
  await api.stop();
  await newJob();
  await api.start();
  await heard.until(`${(await newJob()).id}/1`);
  line.cut();
  await heard.until(`${(await newJob()).id}/1`);
  line.next(/events/, { status: 503, headers: { 'retry-after': '1' } });
  line.cut();
  await heard.until(`${(await newJob()).id}/1`);
  writing.abort();
  await Promise.all(writers);
  await heard.until(`${(await newJob()).id}/1`);
  const all = await stored();
  expect(heard.names).toEqual(all.slice(all.indexOf(first)));
  expect(disconnections.length).toBeGreaterThanOrEqual(4);
  expect(await heard.leave()).toMatchObject({ message: 'left' });

  const middle = heard.messages[10];
  const lastEventId = middle?.type === 'transition' ? middle.id : '';
  const again = new Heard((signal) => holdfast.events.stream({}, { signal, lastEventId }));
  await again.until(all.at(-1) ?? '');
  expect(again.names).toEqual(heard.names.slice(11));
  await again.leave();
}, 120_000);

/** Makes jobs until the first one is heard of. */
async function firstHeard(heard: Heard<EventMessage>): Promise<string> {
  while (heard.names.length === 0) {
    await newJob();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return heard.names[0] ?? '';
}

test('a job is heard of from its first event on, once, with its progress, across a restart of the API', async () => {
  const holdfast = await fixture.client();
  const job = await newJob();
  const heard = new Heard((signal) => holdfast.jobs.stream(job.id, { signal }));
  await heard.until(`${job.id}/1`);
  await api.stop();
  await fixture.complete(job);
  await api.start();
  await heard.until(`${job.id}/3`);
  expect(heard.names).toEqual([1, 2, 3].map((n) => `${job.id}/${n}`));
  const progress = () => heard.messages.flatMap(({ type, data }) => (type === 'progress' ? data.status : []));
  await expect.poll(progress, { timeout: 20_000 }).toContain('completed');
  expect(progress()[0]).toBe('pending');
  await heard.leave();

  const after = new Heard((signal) => holdfast.jobs.stream(job.id, { signal, lastEventId: '2' }));
  await after.until(`${job.id}/3`);
  expect(after.names).toEqual([`${job.id}/3`]);
  await after.leave();
}, 120_000);

test('a stream that falls silent counts as lost', async () => {
  const holdfast = await fixture.client();
  const job = await newJob();
  const lost: unknown[] = [];
  const options = { silenceMs: 200, onDisconnect: (error: unknown) => lost.push(error) };
  const heard = new Heard((signal) => holdfast.jobs.stream(job.id, { ...options, signal }));
  await expect.poll(() => lost.length, { timeout: 20_000 }).toBeGreaterThan(0);
  expect(lost[0]).toMatchObject({ name: 'HoldfastTimeoutError' });
  // It comes back behind what it heard; on a slow machine, one or more connections were silent before that.
  const lastEventIds = () => line.to(/stream/).map(({ headers }) => headers['last-event-id']);
  await expect.poll(lastEventIds, { timeout: 20_000 }).toContain('1');
  await heard.leave();
  expect(heard.names).toEqual([`${job.id}/1`]);
});

test('a stream is filtered, and ends with whoever leaves it', async () => {
  const holdfast = await fixture.client();
  const [wanted, other] = [await newJob(), await newJob()];
  const heard = new Heard((signal) =>
    holdfast.events.stream({ job: wanted.id, status: ['cancelled', 'paused'] }, { signal }),
  );
  // It is open when its id has come.
  await expect.poll(() => line.to(/events/).length, { timeout: 20_000 }).toBe(1);
  await holdfast.jobs.pause(other.id);
  await expect
    .poll(
      async () => {
        await holdfast.jobs.pause(wanted.id);
        await holdfast.jobs.resume(wanted.id);
        return heard.messages.length;
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(0);
  for (const message of heard.messages)
    expect(message).toMatchObject({ type: 'transition', data: { job_id: wanted.id, to_status: 'paused' } });
  await heard.leave();

  let count = 0;
  for await (const message of holdfast.jobs.stream(wanted.id)) {
    if (message.type === 'transition' && ++count === 2) break;
  }
  expect(count).toBe(2);
});

test('a stream that is refused does not come back', async () => {
  const holdfast = await fixture.client({ apiKey: 'hf_wrong' });
  const first = holdfast.events.stream().next();
  await expect(first).rejects.toMatchObject({ code: 'key_invalid' });
  expect(line.to(/events/)).toHaveLength(1);
});

test('an export has every page once, in order, though the connection is cut again and again', async () => {
  const job = await newJob();
  const count = 3_000;
  await fixture.pool.query(
    `WITH page AS (
       INSERT INTO crawl_pages (job_id, url_hash, page_no, outcome, status, depth, attempts, fetched_at, url)
       SELECT $1, gen_random_uuid(), n, 'fetched', 200, 1, 1, now(), 'https://example.com/' || n FROM generate_series(1, $2::int) n
       RETURNING job_id, url_hash
     ) INSERT INTO crawl_page_contents (job_id, url_hash, html) SELECT job_id, url_hash, $3 FROM page`,
    [job.id, count, deflateRawSync(randomBytes(2_000).toString('base64'))],
  );
  const client = await fixture.client();
  const seen: number[] = [];
  for await (const { page_no: n, url, html } of client.jobs.exportPages(job.id)) {
    expect([url, html?.length]).toEqual([`https://example.com/${n}`, 2_668]);
    seen.push(n);
    if (n % 1_000 === 500) line.cut();
  }
  expect(seen).toEqual(Array.from({ length: count }, (_, n) => n + 1));
  expect(line.to(/export/).length).toBeGreaterThan(1);
});
