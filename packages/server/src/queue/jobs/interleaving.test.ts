import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { type Outcome, Race } from './testing/race.ts';
import {
  emptyQueue,
  failedJob,
  failedTwins,
  lostJobs,
  runningJobs,
  type Situation,
  waitingJobs,
} from './testing/situation.ts';
import {
  enqueueSteps,
  failedSteps,
  lostHolderSteps,
  runningSteps,
  type Step,
  twinSteps,
  waitingSteps,
} from './testing/step.ts';

const full = process.env.HOLDFAST_TEST_FULL === '1';

let database: TestDatabase;
let race: Race;
beforeAll(async () => {
  database = await createTestDatabase({ max: 3 });
  race = await Race.open(database.pool);
});
afterAll(async () => {
  race.close();
  await database.drop();
});

/** One after the other in either order, or, where the second steps over locked rows, as if it had not come. */
async function possibleOutcomes(situation: Situation, first: Step, second: Step): Promise<Outcome[]> {
  const inOrder = await race.serially(situation, first, second);
  const reversed = await race.serially(situation, second, first);
  const outcomes = [inOrder, { ...reversed, answers: reversed.answers.toReversed() }];
  if (second.skipped === undefined) return outcomes;
  const alone = await race.serially(situation, first);
  return [...outcomes, { ...alone, answers: [...alone.answers, second.skipped] }];
}

async function outcomesWithoutFirst(situation: Situation, second: Step): Promise<Outcome[]> {
  const alone = await race.serially(situation, second);
  if (second.skipped === undefined) return [alone];
  return [alone, { ...(await race.serially(situation)), answers: [second.skipped] }];
}

/** In these the locks are those of a running job's; what differs is where a run ends, which the model knows best. */
const rarer = new Set(['a job asked to cancel', 'a job without retries left', 'a job held by a bot']);
const races = [
  ...runningJobs
    .filter(({ name }) => full || !rarer.has(name))
    .map((situation) => ({ situation, steps: runningSteps })),
  ...waitingJobs.map((situation) => ({ situation, steps: waitingSteps })),
  { situation: failedJob, steps: failedSteps },
  { situation: failedTwins, steps: twinSteps },
  { situation: emptyQueue, steps: enqueueSteps },
];

/** A first that is undone adds little where the situation differs only in what was asked of the job. */
const hasUndone = (situation: Situation) => full || situation.name !== 'a job asked to pause';

async function raceAll(situation: Situation, first: Step, seconds: readonly Step[]): Promise<void> {
  for (const second of seconds) {
    const raced = `${first.name}, with ${second.name} before its commit`;
    const committed = await race.concurrently(situation, [first, second], 'COMMIT');
    expect(await possibleOutcomes(situation, first, second), raced).toContainEqual(committed);
    if (!hasUndone(situation)) continue;
    const undone = await race.concurrently(situation, [first, second], 'ROLLBACK');
    expect(await outcomesWithoutFirst(situation, second), `${raced}, undone`).toContainEqual(undone);
  }
}

describe.for(races)('$situation.name', ({ situation, steps }) => {
  test.for(steps)('$name and any other step at once end as if one came after the other', (step) =>
    raceAll(situation, step, steps),
  );
});

describe.for(lostJobs)('a job that $name', (situation) => {
  test.for(lostHolderSteps)('is not changed by $name of the holder who lost it', async (step) => {
    const before = await race.serially(situation);
    expect(await race.serially(situation, step)).toEqual({ ...before, answers: ['lost'] });
  });
});

const raced = full ? lostJobs : lostJobs.filter(({ name }) => name === 'was recovered and claimed again');
describe.for(raced)('a job that $name', (situation) => {
  test.for(lostHolderSteps)(
    'goes its way as if $name of the holder who lost it had not come',
    async (lost) => {
      for (const step of runningSteps) {
        const alone = await race.serially(situation, step);
        const before = await race.concurrently(situation, [lost, step], 'COMMIT');
        expect(before, `${step.name} after it`).toEqual({ ...alone, answers: ['lost', ...alone.answers] });
        const after = await race.concurrently(situation, [step, lost], 'COMMIT');
        expect(after, `${step.name} before it`).toEqual({ ...alone, answers: [...alone.answers, 'lost'] });
      }
    },
  );
});
