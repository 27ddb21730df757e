import { HoldfastError, type Intake, type IntakeRequest, type NewPricePoint } from '@holdfast/contract';
import { Command } from 'commander';
import type { Pool } from 'pg';
import { asCalled } from '../base/process/installation.ts';
import { Notifier } from '../queue/jobs/notifications.ts';
import { createIntake, deleteIntake } from '../shop/intakes/edit-intakes.ts';
import { findIntake, listIntakes } from '../shop/intakes/find-intakes.ts';
import { importPoints, pointsFromCsv } from '../shop/points/import-points.ts';
import { findPriceSummary } from '../shop/valuations/find-valuations.ts';
import { printIntake, printIntakes } from './show-intakes.ts';
import { asCalled } from '../../base/process/called-as.ts';
import { findWait } from '../../ops/jobs/find-waits.ts';
import { enqueueJobs } from '../../queue/jobs/enqueue-jobs.ts';
import { Notifier } from '../../queue/jobs/notifier.ts';
import { findPriceSummary } from '../../shop/collect/find-price-summary.ts';
import { importPoints, pointsFromCsv } from '../../shop/collect/import-points.ts';
import { createIntake } from '../../shop/intakes/create-intake.ts';
import { deleteIntake } from '../../shop/intakes/delete-intake.ts';
import { enqueueIntakes } from '../../shop/intakes/enqueue-intakes.ts';
import { findIntake } from '../../shop/intakes/find-intake.ts';
import { importIntakes, intakesFromCsv } from '../../shop/intakes/import-intakes.ts';
import { listIntakes } from '../../shop/intakes/list-intakes.ts';
import { answerEach } from '../answer-each.ts';
import { checkLimit } from '../check-limit.ts';
import { wholePage } from '../list-options.ts';
import { readText } from '../read-text.ts';
import { waitText } from '../wait-text.ts';
import { wholeNumber } from '../whole-number.ts';
import { withDatabase } from '../with-database.ts';

interface JsonOption {
  json?: true;
}

const examples = `
An intake is an item to be priced. Sources with an adapter are asked for it; what they answer becomes price points, and the
price points a valuation.

  holdfast intakes create "Morgan Dollar" --attributes '{"year": 1881, "mintmark": "S"}'
  holdfast intakes import coins.csv                      columns that are no field become attributes
  holdfast sources set ebay --file examples/adapters/ebay-browse.json
  holdfast intakes enqueue ID                            one job for each source; a worker runs them
  holdfast intakes show ID                               its prices and what it is worth

Prices that you bring yourself are of a source with the adapter import, which is asked for nothing:

  holdfast sources set hand --adapter import
  holdfast intakes add-prices ID sales.csv --source hand

See docs/collection.md.`;

const create = new Command('create')
  .description('add an item to be priced')
  .argument('[title]', 'in words, as a listing would have it')
  .option('--attributes <json>', 'what tells it from others, such as {"year": 1881}')
  .option('--currency <code>', 'of its valuation')
  .option('--tag <name...>', 'to find it by')
  .option('--reference <name>', 'your own name for it')
  .option('--user <id>', 'its owner', 'local')
  .option('--json', 'print JSON')
  .action((title: string | undefined, options, command: Command) => {
    const request = {
      ...(title !== undefined && { title }),
      ...(options.attributes !== undefined && { attributes: readJson(options.attributes, '--attributes') }),
      ...(options.currency !== undefined && { currency: options.currency }),
      ...(options.tag !== undefined && { tags: options.tag }),
      ...(options.reference !== undefined && { reference: options.reference }),
    } as IntakeRequest;
    return withDatabase(command, async ({ database }) => {
      const intake = await createIntake(database.pool, options.user, request);
      console.log(options.json ? JSON.stringify(intake) : `intake ${intake.id}`);
    });
  });

const importMany = new Command('import')
  .description('add items from a CSV or JSON file; those of a known reference are changed')
  .argument('<file>', 'with a row of names, or a JSON list of intakes')
  .option('--user <id>', 'their owner', 'local')
  .option('--json', 'print JSON')
  .action(async (file: string, { user, json }: JsonOption & { user: string }, command: Command) => {
    const text = await readText(file);
    const requests = isJson(file) ? (readJson(text, file) as IntakeRequest[]) : intakesFromCsv(text);
    if (!Array.isArray(requests)) throw new HoldfastError('bad_request', `${file} must be a list of intakes`);
    return withDatabase(command, async ({ database }) => {
      const imported = await importIntakes(database.pool, user, requests);
      if (json) console.log(JSON.stringify(imported));
      else console.log(`${imported.created} intakes added, ${imported.changed} changed`);
    });
  });

const list = new Command('list')
  .description('items to be priced, the newest first')
  .option('--tag <name>', 'only with this tag')
  .option('--search <text>', 'part of the title, in any case')
  .option('--user <id>', 'only of this owner')
  .option('--limit <number>', 'how many (1 to 1000)', wholeNumber, 50)
  .option('--after <id>', 'go on behind this intake: the last one of the page before')
  .option('--json', 'print JSON')
  .action(({ json, user, limit, ...filter }, command: Command) =>
    withDatabase(command, async ({ database }) => {
      checkLimit(limit);
      const { rows, next } = await wholePage({ limit, after: filter.after }, (range) =>
        listIntakes(database.pool, { ...filter, owner: user, ...range }),
      );
      if (json) console.log(JSON.stringify(rows));
      else printIntakes(rows, next);
    }),
  );

const show = new Command('show')
  .description('one item, what sources ask for it, and what it is worth')
  .argument('<id>', 'id of the intake')
  .option('--json', 'print JSON')
  .action((id: string, { json }: JsonOption, command: Command) =>
    withDatabase(command, async ({ database }) => {
      const intake = await findIntake(database.pool, id);
      const summary = await findPriceSummary(database.pool, id);
      if (json) console.log(JSON.stringify({ ...intake, ...summary }));
      else printIntake(intake, summary);
    }),
  );

const enqueue = new Command('enqueue')
  .description('ask every source for the prices of items: one job for each')
  .argument('[id...]', 'ids of the intakes')
  .option('--tag <name>', 'all with this tag')
  .option('--source <id...>', 'only these sources')
  .option('--stagger-seconds <number>', 'between the starts of two jobs', wholeNumber, 1)
  .option('--json', 'print JSON')
  .action((ids: string[], { json, tag, source, staggerSeconds }, command: Command) =>
    withDatabase(command, async ({ database: { pool }, actor }) => {
      if (ids.length > 0 === (tag !== undefined))
        throw new HoldfastError('bad_request', 'name intakes, or all of a tag with --tag');
      const intakes =
        tag === undefined
          ? await Promise.all(ids.map((id) => findIntake(pool, id)))
          : await intakesOfTag(pool, tag);
      const made = await enqueueIntakes(pool, intakes, { sources: source, staggerSeconds }, (requests) =>
        enqueueJobs(pool, requests, actor),
      );
      await new Notifier(pool).notify('work');
      if (json) console.log(JSON.stringify(made));
      else
        for (const { source_id, outcome, job } of made)
          console.log(`job ${job.id}: ${source_id}${outcome === 'created' ? '' : ' (is asked already)'}`);
      const [first] = made;
      const waiting = first && (await findWait(pool, first.job));
      if (waiting?.reason === 'worker') console.error(asCalled(waitText(waiting)));
    }),
  );

const addPrices = new Command('add-prices')
  .description('bring prices of an item yourself, from a CSV or JSON file')
  .argument('<id>', 'id of the intake')
  .argument('<file>', 'columns price, currency, price_type, title, url, date, external_id, match_strength')
  .requiredOption('--source <id>', 'a source with the adapter import')
  .option('--json', 'print JSON')
  .action(async (id: string, file: string, { json, source }: JsonOption & { source: string }, command) => {
    const text = await readText(file);
    const points = isJson(file) ? (readJson(text, file) as NewPricePoint[]) : pointsFromCsv(text);
    if (!Array.isArray(points)) throw new HoldfastError('bad_request', `${file} must be a list of prices`);
    return withDatabase(command, async ({ database, actor }) => {
      const stored = await importPoints(database.pool, { intakeId: id, sourceId: source, points, actor });
      if (json) console.log(JSON.stringify(stored));
      else
        console.log(
          `${stored.added} prices added, ${stored.strengthened} matched better, ${stored.kept} known`,
        );
    });
  });

const remove = new Command('delete')
  .description('delete items with their prices and valuations')
  .argument('<id...>', 'ids of the intakes')
  .action((ids: string[], _options: object, command: Command) =>
    withDatabase(command, async ({ database, actor }) => {
      await answerEach(ids, false, async (id) => ({
        changed: await deleteIntake(database.pool, id, actor),
        told: `intake ${id}: deleted`,
      }));
    }),
  );

export const intakesCommand = new Command('intakes')
  .description('price items: ask sources, and see what they are worth')
  .addHelpText('after', examples);
for (const command of [create, importMany, list, show, enqueue, addPrices, remove])
  intakesCommand.addCommand(command);

const isJson = (file: string) => file.toLowerCase().endsWith('.json');

function readJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HoldfastError('bad_request', `${name} must be JSON`);
  }
}

async function intakesOfTag(pool: Pool, tag: string): Promise<Intake[]> {
  const intakes: Intake[] = [];
  let after: string | undefined;
  do {
    const { rows, next } = await listIntakes(pool, { tag, after, limit: 1000 });
    intakes.push(...rows);
    after = next ?? undefined;
  } while (after !== undefined);
  return intakes;
}
