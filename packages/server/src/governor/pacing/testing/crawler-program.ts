// A process that asks for HOST as often as it may, and says when each request started, one line each.
import { pino } from 'pino';
import { createPool } from '../../../base/database/create-pool.ts';
import { Governor } from '../governor.ts';
import { Crawler } from './crawler.ts';

const { DATABASE_URL: url = '', HOST: host = '', RUN: runId = '' } = process.env;
const log = pino({ level: 'silent' });
const db = createPool({ connectionString: url }, log, { name: runId, max: 2 });
const crawler = new Crawler(new Governor({ db, log }).openRun(runId), host, { workMs: 5 });
let told = 0;
setInterval(() => {
  for (; told < crawler.starts.length; told++) process.stdout.write(`${crawler.starts[told]}\n`);
}, 10);
