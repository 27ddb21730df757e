import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type OutcomeReport, reportOutcomes } from './report-outcomes.ts';
import { GovernorFixture } from './testing/governor-fixture.ts';

/** Thousands of statements, also on a slow machine. */
const patienceMs = 240_000;
const hour = 3_600;
const week = 7 * 24 * hour;

const fixture = new GovernorFixture();

const nothing: Omit<OutcomeReport, 'source_id'> = {
  succeeded: false,
  failures: 0,
  failed_urls: 0,
  retry_after_ms: 0,
  page_retry_after_ms: 0,
  slower: 1,
  answers: 0,
  refused: 0,
  failed: 0,
  told_429: false,
  trouble: null,
  trouble_host: null,
  accepted: 0,
  span_seconds: 1,
};
type Seen = Partial<typeof nothing>;

const goodAnswers = (answers: number): Seen => ({ succeeded: true, answers, accepted: answers });
const one503: Seen = { failed_urls: 1, answers: 1, refused: 1 };
const one500: Seen = { failed_urls: 1, answers: 1, failed: 1 };
const failedVisit: Seen = { failures: 1, answers: 1, failed: 1 };
const one429: Seen = { answers: 1, refused: 1, told_429: true, retry_after_ms: 1_000 };

/** From milliseconds to weeks. */
const gap = fc.oneof(
  fc.integer({ min: 0, max: 1_000 }).map((ms) => ms / 1_000),
  fc.integer({ min: 1, max: 120 }),
  fc.integer({ min: 1, max: 48 }).map((hours) => hours * hour),
  fc.integer({ min: 1, max: 4 }).map((weeks) => weeks * week),
);

/** What a worker may have seen. Counts of many answers are halved again and again, so they need not be whole. */
const seen: fc.Arbitrary<Seen> = fc.oneof(
  fc.constantFrom(goodAnswers(1), goodAnswers(70), goodAnswers(99.5), one503, one500, one429, failedVisit),
  fc
    .record({
      answers: fc.integer({ min: 0, max: 200 }),
      refusedShare: fc.double({ min: 0, max: 1, noNaN: true }),
      failedShare: fc.double({ min: 0, max: 1, noNaN: true }),
      told_429: fc.boolean(),
      accepted: fc.double({ min: 0, max: 10_000, noNaN: true }),
      span_seconds: fc.double({ min: 0, max: 2, noNaN: true }),
      failures: fc.nat(100),
      failed_urls: fc.nat(100),
      succeeded: fc.boolean(),
      retry_after_ms: fc.nat(86_400_000),
      page_retry_after_ms: fc.nat(86_400_000),
      slower: fc.constantFrom(1, 1.25),
    })
    .map(({ refusedShare, failedShare, ...rest }) => ({
      ...rest,
      refused: rest.answers * refusedShare,
      failed: rest.answers * (1 - refusedShare) * failedShare,
    })),
);

/** Everything that decays, or is added up, or is divided by. */
const numbers = [
  'answers',
  'refused',
  'failed',
  'usual_refused',
  'usual_bad',
  'goodput',
  'regain_seconds',
  'failure_streak',
  'failed_urls',
  'futile_cuts',
  'slowdown',
] as const;
type Row = Record<(typeof numbers)[number], number> & {
  capacity: number | null;
  overload_share: number | null;
  overload_answers: number | null;
  pace: number | null;
  interval_ms: number;
};

/** A source whose time passes by shifting its row. */
class ShiftedSource {
  readonly id = fixture.newHost();

  static async create(): Promise<ShiftedSource> {
    const source = new ShiftedSource();
    await fixture.pool.query('INSERT INTO sources (id, name) VALUES ($1, $1)', [source.id]);
    return source;
  }

  /** What is seen in so many seconds after the last report. */
  async report(seconds: number, seen: Seen): Promise<void> {
    await fixture.passSeconds(this.id, seconds);
    await reportOutcomes(fixture.pool, [{ ...nothing, ...seen, source_id: this.id }]);
  }

  async reports(times: number, seconds: number, seen: Seen): Promise<void> {
    for (let n = 0; n < times; n++) await this.report(seconds, seen);
  }

  async row(): Promise<Row> {
    const { rows } = await fixture.pool.query<Row>(
      `SELECT ${numbers.map((name) => `source.${name}`).join(', ')}, capacity, overload_share, overload_answers,
         pace_per_minute / 60 AS pace, interval_ms
       FROM sources source, source_state(source) state WHERE id = $1`,
      [this.id],
    );
    const [row] = rows;
    if (!row) throw new Error(`there is no ${this.id}`);
    return row;
  }
}

function expectSound(row: Row): void {
  for (const name of numbers) {
    expect(Number.isFinite(row[name]), `${name} is ${row[name]}`).toBe(true);
    expect(row[name]).toBeGreaterThanOrEqual(0);
  }
  for (const name of ['capacity', 'pace'] as const) {
    const value = row[name];
    if (value !== null) expect(Number.isFinite(value) && value > 0, `${name} is ${value}`).toBe(true);
  }
  expect(row.refused + row.failed).toBeLessThanOrEqual(row.answers + 0.01);
  // A source that is not paused is asked again within minutes.
  expect(row.interval_ms).toBeLessThanOrEqual(2 * 60_000);
}

/** Ten minutes of good answers. */
async function recovers(source: ShiftedSource): Promise<void> {
  await source.reports(15, 40, goodAnswers(70));
  expect(await source.row()).toMatchObject({ capacity: expect.anything(), pace: null, interval_ms: 0 });
}

describe('reports of a source are written for as long as they come', () => {
  test.each<[string, number, readonly [number, number, Seen][]]>([
    [
      'of a clean crawl of hours that began with one 500 and one 503',
      1,
      [
        [1, 1, one500],
        [1, 1, one503],
        [1_000, 30, goodAnswers(70)],
      ],
    ],
    [
      'of a source that fails at every visit, each hour',
      1,
      [
        [1, 1, goodAnswers(10)],
        [300, hour, failedVisit],
      ],
    ],
    [
      'of a source that fails each minute',
      1,
      [
        [1, 1, goodAnswers(10)],
        [300, 61, failedVisit],
      ],
    ],
    [
      'of visits with weeks between them',
      1,
      [
        [1, 1, { ...goodAnswers(10), failed: 1 }],
        [50, week, goodAnswers(1)],
        [50, week, failedVisit],
      ],
    ],
    [
      'of a crawl of 99 answers a report',
      1,
      [
        [1, 1, one500],
        [400, 1, goodAnswers(99)],
      ],
    ],
    [
      'of days that are mostly good',
      100,
      [
        [3, hour, goodAnswers(20)],
        [1, 0.01, one503],
        [1, 0.01, one429],
        [1, hour, failedVisit],
        [4, 0.3, goodAnswers(40)],
      ],
    ],
  ])(
    '%s',
    async (_, rounds, phases) => {
      const source = await ShiftedSource.create();
      for (let round = 0; round < rounds; round++)
        for (const [times, seconds, seen] of phases) await source.reports(times, seconds, seen);
      expectSound(await source.row());
    },
    patienceMs,
  );

  test(
    'whatever is seen, with any time between; and a source that is well again loses its pace',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(gap, seen), { minLength: 1, maxLength: 40 }), async (reports) => {
          const source = await ShiftedSource.create();
          for (const [seconds, report] of reports) {
            await source.report(seconds, report);
            expectSound(await source.row());
          }
          // It has had a pace at least once, then.
          await source.report(1, { ...one429, answers: 20, refused: 20 });
          await source.report(2, { ...one429, answers: 20, refused: 20 });
          expect((await source.row()).pace).toBeGreaterThan(0);
          await recovers(source);
        }),
        { numRuns: 100 },
      );
    },
    patienceMs,
  );

  test('with numbers that no process should send', async () => {
    const source = await ShiftedSource.create();
    const least = Number.MIN_VALUE;
    const most = Number.MAX_VALUE;
    for (const number of [least, most, Number.NaN, Number.POSITIVE_INFINITY, -1]) {
      const strange = { answers: number, refused: number, failed: number, accepted: number };
      for (const told_429 of [false, true]) {
        await source.report(1, { ...goodAnswers(50), ...strange, told_429, span_seconds: number });
        await source.report(2, { ...goodAnswers(50), refused: number, failed: number, told_429 });
        expectSound(await source.row());
      }
    }
    await recovers(source);
  });

  test('when failures in a row have been counted for years', async () => {
    const source = await ShiftedSource.create();
    const many = { failures: 2_147_483_647, failed_urls: 2_147_483_647 };
    await source.report(1, many);
    await fixture.pool.query(`UPDATE sources SET pause_reason = NULL, paused_until = NULL WHERE id = $1`, [
      source.id,
    ]);
    await source.report(1, many);
    expectSound(await source.row());
  });
});
