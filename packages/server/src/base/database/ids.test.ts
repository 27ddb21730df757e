import { describe, expect, test } from 'vitest';
import { describeError } from '../../api/error-answers.ts';
import { revokeKey } from '../../queue/access/keys.ts';
import { showJob } from '../../queue/jobs/find-jobs.ts';
import { deletePolicy } from '../../queue/policies/change-policy.ts';
import { findPolicy } from '../../queue/policies/find-policies.ts';
import { deleteWebhook } from '../../queue/webhooks/edit-webhooks.ts';
import { findWebhook } from '../../queue/webhooks/find-webhooks.ts';
import { findIntake, lockIntake } from '../../shop/intakes/find-intakes.ts';
import { notFound } from './ids.ts';
import type { Queryable } from './statement.ts';

const nobody = '01a1e1d5-de60-7d19-800b-34c5346a372f';
/** Asked for an id that is none, the database would fail. */
const db = {} as Queryable;

describe('what is not there', () => {
  test.each([
    ['jobs', () => showJob(db, 'x')],
    ['policies', () => findPolicy(db, 'x')],
    ['policies', () => deletePolicy(db, 'x')],
    ['intakes', () => findIntake(db, 'x')],
    ['intakes', () => lockIntake(db, 'x')],
    ['webhooks', () => findWebhook(db, 'x')],
    ['webhooks', () => deleteWebhook(db, 'x')],
    ['keys', () => revokeKey(db, 'x')],
  ])(
    'has an id that is none: the hint says what one looks like, and how to see those of %s',
    async (command, ask) => {
      const hint = new RegExp(`is a UUID\\. See them with \`holdfast ${command} list\``);
      await expect(ask()).rejects.toMatchObject({ hint: expect.stringMatching(hint) });
    },
  );

  test('has the hint of the table where the id is one', () => {
    expect(notFound('policy_not_found', nobody).hint).toBe('Check the id with `holdfast policies list`.');
  });
});

test('a command in a hint of the API can be typed as it stands', () => {
  expect(describeError(notFound('job_not_found', nobody)).hint).toContain('`npx holdfast jobs list`');
});
