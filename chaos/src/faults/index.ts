import type { Fault } from '../fault.ts';
import { blackHole } from './black-hole.ts';
import { bots } from './bots.ts';
import { checkpointKills } from './checkpoint-kills.ts';
import { clocks } from './clocks.ts';
import { exhaustion } from './exhaustion.ts';
import { failover } from './failover.ts';
import { fullDisk } from './full-disk.ts';
import { lostAnswers } from './lost-answers.ts';
import { poisonPages } from './poison-pages.ts';
import { renderedCrawls } from './rendered-crawls.ts';
import { renderedMemory } from './rendered-memory.ts';
import { restarts, terminations } from './restarts.ts';
import { rollingRestart } from './rolling-restart.ts';
import { runnerKills } from './runner-kills.ts';
import { schedulers } from './schedulers.ts';
import { sickWorker } from './sick-worker.ts';
import { steering } from './steering.ts';
import { supervisorDeaths } from './supervisor-deaths.ts';
import { zombies } from './zombies.ts';

/** The fault matrix, in its order. */
export const faults: readonly Fault[] = [
  runnerKills,
  checkpointKills,
  zombies,
  supervisorDeaths,
  restarts,
  terminations,
  blackHole,
  exhaustion,
  clocks,
  steering,
  bots,
  poisonPages,
  fullDisk,
  rollingRestart,
  lostAnswers,
  schedulers,
  failover,
  renderedCrawls,
  renderedMemory,
  sickWorker,
];
