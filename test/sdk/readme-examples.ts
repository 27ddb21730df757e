import { readFileSync } from 'node:fs';

const readme = new URL('../../packages/sdk/README.md', import.meta.url);

export interface Example {
  /** The heading that it stands under. */
  readonly name: string;
  readonly source: string;
}

/** The programs in the README of the SDK. */
export function readmeExamples(): Example[] {
  const text = readFileSync(readme, 'utf8');
  return [...text.matchAll(/^## ([^\n]+)$|^```ts\n(.*?)^```$/gms)].flatMap(([, , source], index, all) => {
    if (source === undefined) return [];
    const name = all.slice(0, index).findLast(([, heading]) => heading !== undefined)?.[1] ?? '';
    return [{ name, source }];
  });
}
