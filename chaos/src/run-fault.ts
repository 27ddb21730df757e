import type { ChaosRun, Fault, Figures, Timings } from './fault.ts';
import type { PrivateServer } from './postgres/private-server.ts';
import { Random } from './random.ts';

export interface Verdict {
  readonly id: string;
  readonly seed: number;
  readonly pass: boolean;
  readonly figures: Figures;
  readonly problems: readonly string[];
}

export interface FaultOptions {
  readonly root: string;
  readonly server: PrivateServer;
  readonly seed: number;
  readonly scale: number;
  readonly timings: Timings;
  readonly say?: (text: string) => void;
}

/** Runs one fault with the plan that follows from the seed. */
export async function runFault(fault: Fault, options: FaultOptions): Promise<Verdict> {
  const problems: string[] = [];
  const run: ChaosRun = {
    say: () => undefined,
    ...options,
    random: new Random(options.seed, fault.id),
    blame: (problem) => problems.push(problem),
  };
  const began = performance.now();
  let figures: Figures = {};
  try {
    figures = await fault.run(run);
  } catch (error) {
    problems.push((error as Error).stack ?? String(error));
  }
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  return {
    id: fault.id,
    seed: options.seed,
    pass: problems.length === 0,
    figures: { ...figures, seconds },
    problems,
  };
}
