import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../../../package.json' with { type: 'json' };

export const { version } = manifest;

const bundled = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The programs that are started as processes and threads of their own. The bundler puts them beside the command. */
export const runnerProgramPath = bundled('./runner.js');
export const browserHostProgramPath = bundled('./browser-host.js');
export const readerProgramPath = bundled('./reader.js');
export const documentProgramPath = bundled('./documents.js');
export const moduleProgramPath = bundled('./adapter-module.js');

/** How to call this program again: in a checkout, and when npm started it, it is not on the path. */
export function calledAs(env = process.env, program = process.argv[1] ?? ''): string {
  const isOnPath = basename(program) === 'holdfast' && env.npm_command === undefined;
  return isOnPath ? 'holdfast' : 'npx holdfast';
}

/** Rewrites the commands in a text so that they can be typed as shown. */
export function asCalled(text: string): string {
  return text.replaceAll(commands, `${calledAs()} `);
}

/** A command inside a text: `holdfast jobs list`, `holdfast [options]`, but neither "holdfast: …" nor a path. */
const commands = /(?<![\w/.-]|npx )holdfast (?=[a-z]+\b|COMMAND|\[)/g;
