import { basename } from 'node:path';

/** How whoever types can reach this program again: in a checkout, and through npm, it is not on the path. */
export function calledAs(env = process.env, program = process.argv[1] ?? ''): string {
  const isOnPath = basename(program) === 'holdfast' && env.npm_command === undefined;
  return isOnPath ? 'holdfast' : 'npx holdfast';
}

/** A command inside a text: `holdfast jobs list`, `holdfast [options]`, but neither "holdfast: …" nor a path. */
const commands = /(?<![\w/.-]|npx )holdfast (?=[a-z]+\b|COMMAND|\[)/g;

/** A text with commands in it, so that they can be typed as they stand. */
export function asCalled(text: string): string {
  return text.replaceAll(commands, `${calledAs()} `);
}
