import type { ChaosRun, Figures } from '../fault.ts';
import { Stage, type StageOptions } from './stage.ts';

/** Sets the stage for a fault, and clears it afterwards whatever happened. */
export async function withStage(
  run: ChaosRun,
  options: StageOptions,
  play: (stage: Stage) => Promise<Figures>,
): Promise<Figures> {
  const stage = await Stage.open(run, options);
  try {
    const figures = await play(stage);
    for (const { pid, lines } of stage.crashed)
      run.blame(`process ${pid} ended by itself: ${lines.at(-1)?.msg}`);
    return figures;
  } finally {
    await stage.close();
  }
}
