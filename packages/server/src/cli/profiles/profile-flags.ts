import { readFileSync } from 'node:fs';
import { HoldfastError } from '@holdfast/contract';
import { type Command, InvalidArgumentError } from 'commander';
import { collect } from '../option-values.ts';

/** Flags for cookies, headers and credentials, by commander's names. */
export interface SignInFlags {
  header?: string[];
  basicAuth?: string;
  bearer?: string;
}

export interface ProfileFlags extends SignInFlags {
  origin?: string[];
  cookies?: string;
  storageState?: string;
  proxy?: string;
}

export function addSignInOptions(command: Command): Command {
  return command
    .option(
      '--header <header>',
      'extra header, as "Name: value" (repeatable); @FILE reads one per line',
      collect,
    )
    .option('--basic-auth <user:password>', `HTTP basic authentication; env:VARIABLE or @FILE reads it`)
    .option('--bearer <token>', 'bearer token; env:VARIABLE or @FILE reads it');
}

/** The fields of the given flags. */
export function readSignIn({ header = [], basicAuth, bearer }: SignInFlags): Record<string, unknown> {
  const lines = header.flatMap((text) => (text.startsWith('@') ? linesOf(text.slice(1)) : [text]));
  const headers = Object.fromEntries(lines.map(readHeader));
  return {
    ...(lines.length > 0 && { headers }),
    ...(basicAuth !== undefined && { basic_auth: readBasicAuth(secretText(basicAuth, '--basic-auth')) }),
    ...(bearer !== undefined && { bearer_token: secretText(bearer, '--bearer') }),
  };
}

export function readProfile(name: string, flags: ProfileFlags) {
  return {
    name,
    origins: flags.origin ?? [],
    ...readSignIn(flags),
    ...(flags.cookies !== undefined && { cookies_txt: textOf(flags.cookies) }),
    ...(flags.storageState !== undefined && { storage_state: readStorageState(flags.storageState) }),
    ...(flags.proxy !== undefined && { proxy: flags.proxy }),
  };
}

/** Errors name the field, never the value. */
function readHeader(line: string, index: number): [string, string] {
  const at = line.indexOf(':');
  if (at <= 0)
    throw new InvalidArgumentError(`--header number ${index + 1} must be written as "Name: value".`);
  return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

function readBasicAuth(text: string): { username: string; password: string } {
  const at = text.indexOf(':');
  if (at < 0) throw new InvalidArgumentError('--basic-auth must be written as user:password.');
  return { username: text.slice(0, at), password: text.slice(at + 1) };
}

/** A literal value, env:VARIABLE, or @FILE. */
function secretText(text: string, flag: string): string {
  const [, variable] = /^env:(\w+)$/.exec(text) ?? [];
  if (variable !== undefined) {
    const value = process.env[variable];
    if (!value)
      throw new HoldfastError('bad_request', `${flag} names the variable ${variable}, which is not set`);
    return value;
  }
  return text.startsWith('@') ? textOf(text.slice(1)).trim() : text;
}

function linesOf(path: string): string[] {
  return textOf(path)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '');
}

function textOf(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw new HoldfastError('bad_request', `${path} cannot be read: ${(error as Error).message}`);
  }
}

function readStorageState(path: string): unknown {
  try {
    return JSON.parse(textOf(path));
  } catch (error) {
    if (error instanceof HoldfastError) throw error;
    // The message of JSON.parse quotes the text.
    throw new HoldfastError('bad_request', `${path} is not JSON, as Playwright's storageState writes it`);
  }
}
