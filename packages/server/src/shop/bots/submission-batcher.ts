import type { HoldfastError } from '@holdfast/contract';
import type pg from 'pg';
import type { Logger } from 'pino';
import { Batcher } from '../../queue/jobs/batcher.ts';
import type { Submission, SubmissionAnswer } from './record-submissions.ts';
import { submitResults } from './submit-results.ts';

type Answer = SubmissionAnswer | HoldfastError;

/** One transaction carries so many bytes of raw HTML at most; a larger one goes alone. */
const maxBytes = 4_000_000;

/** A batch does not wait long for a job or a bot that somebody else has locked: its submissions then go one by one. */
const lockTimeoutMs = 1_000;

/**
 * Gathers the submits of a moment into one transaction: fifty bots at once cost little more than one (measured in
 * bench/README.md, B8). Whatever is wrong with one of them is not felt by the others.
 */
export class SubmissionBatcher {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  readonly #batcher: Batcher<Submission, Promise<Answer>>;

  constructor(pool: pg.Pool, log: Logger) {
    this.#pool = pool;
    this.#log = log;
    this.#batcher = new Batcher((submissions) => this.#write(submissions), 0);
  }

  /** Answers after the commit; throws what the submission was refused with. */
  async submit(submission: Submission): Promise<SubmissionAnswer> {
    const answer = await this.#batcher.add(submission);
    if (answer instanceof Error) throw answer;
    return answer;
  }

  /** Resolves when all that was submitted has been answered. */
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
          'Submissions could not go together; each goes alone',
        );
        for (const submission of group) {
          const alone = this.#writeAlone(submission);
          // Whoever waits for it hears of it; until then it is nobody's unhandled rejection.
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

/** In their order, with each job once per group, since a second submit of a job is judged by what the first one did. */
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
