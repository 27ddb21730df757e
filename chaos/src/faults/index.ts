import type { Fault } from '../fault.ts';
import { runnerKills } from './runner-kills.ts';

/** The fault matrix, in its order. */
export const faults: readonly Fault[] = [runnerKills];
