import { crawlFlagNames, describeIssues, HoldfastError, nearestName } from '@holdfast/contract';
import type { Command } from 'commander';
import type { z } from 'zod';

/** Checks the fields that a command line came to. Problems name the flags that were typed, not the fields. */
export function checkFlags<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
  nameOf: (field: string) => string = flagOf,
): z.output<Schema> {
  const checked = schema.safeParse(given);
  if (checked.success) return checked.data;
  throw new HoldfastError('bad_request', describeIssues(checked.error, nameOf), {
    hint: 'Correct it and try again; --help lists the options.',
  });
}

/** `max_retries` as `--max-retries`. */
export function flagOf(field: string): string {
  return field && `--${field.replaceAll('_', '-')}`;
}

/** `resetLock` as the command `reset-lock`. */
export function commandNameOf(action: string): string {
  return action.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Names of payload fields, as flags, where the flag has another name. */
const otherNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(crawlFlagNames).map(([flag, field]) => [flagOf(field), flagOf(flag)])),
};

/** Adds a suggestion to the message about an unknown option. Commander suggests similar spellings only. */
export function suggestFlag(message: string, command: Command): string {
  const [line, flag] = /^holdfast: unknown option '(--[^'=]+)[^']*'$/m.exec(message) ?? [];
  if (line === undefined || flag === undefined || message.includes('Did you mean')) return message;
  const own = command.options.map(({ long }) => long);
  const names = Object.fromEntries(Object.entries(otherNames).filter(([, name]) => own.includes(name)));
  const meant = nearestName(flag, [], names);
  return meant ? message.replace(line, `${line}\n(Did you mean ${meant}?)`) : message;
}
