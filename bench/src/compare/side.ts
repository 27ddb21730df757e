import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Figure } from './laps.ts';

/** A state of the product that is being measured by a process of its own. */
export class Side {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** `bench` is the folder of benchmarks beside the product. */
  static async start(bench: string, benchmark: string): Promise<Side> {
    const side = new Side(fork(join(bench, 'src/compare/side-program.ts'), [benchmark]));
    await side.#hear();
    return side;
  }

  async lap(): Promise<readonly Figure[]> {
    this.#child.send('lap');
    return (await this.#hear()) as readonly Figure[];
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.send('end');
    await exited;
  }

  async #hear(): Promise<unknown> {
    const over = new AbortController();
    const { signal } = over;
    const ended = once(this.#child, 'exit', { signal }).then(([code]) => {
      throw new Error(`one side of the comparison ended with code ${code}`);
    });
    try {
      const [message] = await Promise.race([once(this.#child, 'message', { signal }), ended]);
      return message;
    } finally {
      ended.catch(() => {});
      over.abort();
    }
  }
}
