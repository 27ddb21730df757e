import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { beforeAll, expect, test } from 'vitest';
import { createProgram } from '../../packages/server/src/cli/program.ts';
import { markdownFiles, readPage, root } from './markdown-files.ts';
import { shellBlocks } from './shell-blocks.ts';

/** What is past, or written from the commands themselves. */
const isLeftOut = (page: string) =>
  page === 'CHANGELOG.md' || page === 'docs/cli.md' || page.startsWith('docs/adr/');
const pages = markdownFiles().filter((page) => !isLeftOut(page));

let program: Command;
beforeAll(async () => {
  program = await createProgram();
});

/** The simple commands of a line, without variables that are set before and without comments. */
function simpleCommands(line: string): string[][] {
  const words = line.matchAll(/'[^']*'|"[^"]*"|(?:^|\s)#[^\n]*|[|&;()]+|\\\n|[^\s'"|&;()]+/g);
  const commands: string[][] = [[]];
  for (const [word] of words) {
    if (/^\s*#/.test(word) || word === '\\\n') continue;
    if (/^[|&;()]/.test(word)) commands.push([]);
    else if (commands.at(-1)?.length || !/^[A-Z_]+=/.test(word)) commands.at(-1)?.push(word);
  }
  return commands.filter(({ length }) => length > 0);
}

/** What is wrong with the words behind `holdfast`. */
function faultOf(words: readonly string[]): string | undefined {
  let command = program;
  let rest = [...words];
  for (;;) {
    const next = command.commands.find((each) => [each.name(), ...each.aliases()].includes(rest[0] ?? ''));
    if (!next) break;
    command = next;
    rest = rest.slice(1);
  }
  const name = rest[0] ?? '';
  if (command.commands.length > 0 && /^[a-z]/.test(name)) return `no command ${name}`;
  const options = [...program.options, ...command.options];
  for (const [index, word] of rest.entries()) {
    const [flag = '', given] = word.split('=', 2);
    if (!/^--?[a-z]/i.test(flag) || flag === '--help') continue;
    const option = options.find(({ long, short }) => flag === long || flag === short);
    if (!option) return `no option ${flag}`;
    const value = given ?? rest[index + 1];
    if (option.argChoices && /^[a-z]+$/.test(value ?? '') && !option.argChoices.includes(value ?? ''))
      return `${flag} is never ${value}`;
  }
  return undefined;
}

const scripts = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts);
const programs = readdirSync(join(root, 'node_modules/.bin'));

function faultOfCommand([program = '', ...words]: readonly string[]): string | undefined {
  const [name = '', ...others] = words.filter((word) => program !== 'npx' || word !== '-y');
  if (program === 'holdfast') return 'is not on the path of a clone: `npx holdfast`';
  if (program === 'npx' && name === 'holdfast') return faultOf(others);
  if (program === 'npx') return programs.includes(name) ? undefined : `nothing is installed as ${name}`;
  if (program === 'npm' && name === 'run')
    return scripts.includes(others[0] ?? '') ? undefined : 'no such script';
  const file = /^(node|python3)$/.test(program) && /^[a-z].*\/.*\.\w+$/.test(name) ? name : undefined;
  return file === undefined || existsSync(join(root, file)) ? undefined : `no file ${file}`;
}

test('every command that a page shows can be typed as it stands in a clone', () => {
  const commands = pages.flatMap((page) =>
    (['sh', 'console'] as const).flatMap((language) =>
      shellBlocks(page, language).flatMap(({ commands }) =>
        commands.flatMap(simpleCommands).map((words) => ({ page, words })),
      ),
    ),
  );
  expect(commands.length).toBeGreaterThan(100);
  const faults = commands.flatMap(({ page, words }) => {
    const fault = faultOfCommand(words);
    return fault ? [`${page}: ${words.join(' ')}: ${fault}`] : [];
  });
  expect(faults).toEqual([]);
});

test('a block of commands says behind its fence that it is one', () => {
  const unmarked = pages.flatMap((page) =>
    [...readPage(page).matchAll(/^ *```(\S*)\n([\s\S]*?)^ *```$/gm)].flatMap(([, word = '', text = '']) =>
      word === '' && /^(npx |npm |holdfast [a-z]|curl )/m.test(text) ? [`${page}: ${text}`] : [],
    ),
  );
  expect(unmarked).toEqual([]);
});

test('every command that a sentence names is there, with its options', () => {
  const faults = pages.flatMap((page) =>
    [...readPage(page).matchAll(/`(?:npx )?holdfast ([a-z][^`]*)`/g)].flatMap(([code, text = '']) => {
      const fault = faultOf((simpleCommands(text)[0] ?? []).filter((word) => word !== '…'));
      return fault ? [`${page}: ${code}: ${fault}`] : [];
    }),
  );
  expect(faults).toEqual([]);
});

test('the check finds what is not there', () => {
  const faults = [
    'npx holdfast jobs lst',
    'npx holdfast crawl https://a.example --max-pages 3',
    'npx holdfast export JOB --format docx',
    'holdfast up',
    'npx tsx a.ts',
    'npm run nothing',
    'node examples/none.mjs',
  ];
  for (const line of faults)
    expect([line, faultOfCommand(simpleCommands(line)[0] ?? [])]).not.toEqual([line, undefined]);
  for (const line of [
    "KEY=x npx holdfast crawl https://a.example -q --format=csv --out - # 'quoted'",
    'npm run chaos',
  ])
    expect([line, faultOfCommand(simpleCommands(line)[0] ?? [])]).toEqual([line, undefined]);
});
