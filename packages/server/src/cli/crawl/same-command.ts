import { calledAs } from '../../base/process/installation.ts';

/** The command that was typed, to be typed again. */
export function sameCommand(args: readonly string[] = process.argv.slice(2)): string {
  return [calledAs(), ...args.map(quoted)].join(' ');
}

function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
