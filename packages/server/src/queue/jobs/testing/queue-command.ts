import type fc from 'fast-check';
import type { Queryable } from '../../../base/database/statement.ts';
import { type Moment, momentColumns, second } from './job-record.ts';
import type { ObservedQueue } from './observed-queue.ts';
import type { QueueModel } from './queue-model.ts';

export type QueueCommand = fc.AsyncCommand<QueueModel, ObservedQueue>;

/** An action on both the queue and the model, after which they must be equal. */
export function command(
  text: string,
  act: (model: QueueModel, db: Queryable) => Promise<void>,
  possible: (model: QueueModel) => boolean = () => true,
  afterSeconds = 0,
): QueueCommand {
  return {
    check: possible,
    run: async (model, queue) => {
      if (afterSeconds > 0) {
        await queue.pass(afterSeconds);
        shift(model, afterSeconds * second);
      }
      await queue.at(async (db, now) => {
        model.now = now;
        await act(model, db);
      });
      await queue.expectToEqual(model);
    },
    toString: () => text,
  };
}

function shift(model: QueueModel, by: Moment): void {
  for (const job of model.jobs) {
    for (const column of momentColumns) {
      const moment = job[column];
      if (typeof moment === 'number') job[column] = moment - by;
    }
  }
  for (const event of model.events) event.at -= by;
}
