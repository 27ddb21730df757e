import { crawlFlagNames, nearestName } from '@holdfast/contract';
import type { Command } from 'commander';
import { flagOf } from './check-flags.ts';

/** What a payload calls a flag, where the names differ. */
const otherNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(crawlFlagNames).map(([flag, field]) => [flagOf(field), flagOf(flag)])),
};

/** The refusal of an unknown option, with the option that was probably meant. Commander knows near spellings alone. */
export function withFlagMeant(text: string, command: Command): string {
  const [line, flag] = /^holdfast: unknown option '(--[^'=]+)[^']*'$/m.exec(text) ?? [];
  if (line === undefined || flag === undefined || text.includes('Did you mean')) return text;
  const own = command.options.map(({ long }) => long);
  const names = Object.fromEntries(Object.entries(otherNames).filter(([, name]) => own.includes(name)));
  const meant = nearestName(flag, [], names);
  return meant ? text.replace(line, `${line}\n(Did you mean ${meant}?)`) : text;
}
