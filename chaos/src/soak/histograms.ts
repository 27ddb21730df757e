interface Reading {
  readonly count: number;
  readonly sum: number;
}

/** Mean times of what workers do, between one look at their metrics and the next. */
export class Histograms {
  readonly #before = new Map<string, Reading>();

  /** In milliseconds; undefined when nothing of it happened. */
  async meanOf(name: string, ports: readonly number[]): Promise<number | undefined> {
    let [count, sum] = [0, 0];
    for (const port of ports) {
      const now = readingOf(name, await textOf(port));
      if (!now) continue;
      const before = this.#before.get(`${name} ${port}`) ?? { count: 0, sum: 0 };
      this.#before.set(`${name} ${port}`, now);
      count += now.count - before.count;
      sum += now.sum - before.sum;
    }
    return count > 0 ? (1000 * sum) / count : undefined;
  }
}

function readingOf(name: string, text: string): Reading | undefined {
  const numberOf = (part: string) => Number(new RegExp(`^${name}_${part} (\\S+)$`, 'm').exec(text)?.[1]);
  const [count, sum] = [numberOf('count'), numberOf('sum')];
  return Number.isFinite(count) && Number.isFinite(sum) ? { count, sum } : undefined;
}

async function textOf(port: number): Promise<string> {
  try {
    return await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  } catch {
    // It was killed a moment ago, or is about to be ready.
    return '';
  }
}
