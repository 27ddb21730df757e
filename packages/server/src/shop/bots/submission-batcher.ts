import type { HoldfastError } from '@holdfast/contract';
import type pg from 'pg';
import type { Logger } from 'pino';
import { Batcher } from '../../queue/jobs/batcher.ts';
import type { Submission, SubmissionAnswer } from './record-submissions.ts';
import { submitResults } from './submit-results.ts';

type Answer = SubmissionAnswer | HoldfastError;

/** Most bytes of raw HTML in one transaction; a larger submission is written alone. */
const maxBytes = 4_000_000;

/** A batch that waits longer for a locked job or bot is split into single submissions. */
const lockTimeoutMs = 1_000;

/** Writes concurrent submissions in one transaction (ADR 15). If that fails, each is written alone, so that one cannot fail the others. */
export class SubmissionBatcher {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  readonly #batcher: Batcher<Submission, Promise<Answer>>;

  constructor(pool: pg.Pool, log: Logger) {
    this.#pool = pool;
    this.#log = log;
    this.#batcher = new Batcher((submissions) => this.#write(submissions), 0);
  }

  /** Resolves after the commit; throws if the submission was refused. */
  async submit(submission: Submission): Promise<SubmissionAnswer> {
    const answer = await this.#batcher.add(submission);
    if (answer instanceof Error) throw answer;
    return answer;
  }

  /** Resolves when all submissions have been answered. */
  drain(): Promise<void> {
    return this.#batcher.drain();
  }

  async #write(submissions: Submission[]): Promise<(submission: Submission) => Promise<Answer>> {
    const answers = new Map<Submission, Promise<Answer>>();
    for (const group of groups(submissions)) {
      try {
        const answered = await submitResults(this.#pool, group, { lockTimeoutMs });
        for (const [submission, answer] of answered) answers.set(submission, Promise.resolve(answer));
      } catch (error) {
        this.#log.warn(
          { err: error, submissions: group.length },
          'Could not write submissions together; writing each alone',
        );
        for (const submission of group) {
          const alone = this.#writeAlone(submission);
          // Its caller handles the rejection later; until then it must not count as unhandled.
          alone.catch(() => {});
          answers.set(submission, alone);
        }
      }
    }
    return (submission) => answers.get(submission) as Promise<Answer>;
  }

  async #writeAlone(submission: Submission): Promise<Answer> {
    const answered = await submitResults(this.#pool, [submission]);
    return answered.get(submission) as Answer;
  }
}

/** Groups in order, each job at most once per group: the second submit of a job depends on the first. */
function groups(submissions: readonly Submission[]): Submission[][] {
  const all: Submission[][] = [];
  let jobs = new Set<string>();
  let bytes = 0;
  for (const submission of submissions) {
    const { lease, outcome } = submission;
    const size = outcome.success ? (outcome.result.rawHtml?.length ?? 0) : 0;
    if (all.length === 0 || jobs.has(lease.jobId) || bytes + size > maxBytes) {
      all.push([]);
      jobs = new Set();
      bytes = 0;
    }
    all.at(-1)?.push(submission);
    jobs.add(lease.jobId);
    bytes += size;
  }
  return all;
}
