import type { Command, Option } from 'commander';
import { createProgram } from '../program.ts';
import { markdownTable } from './markdown-table.ts';

/** docs/cli.md: every command with its arguments and options, from the same source as `--help`. */
export async function cliPage(): Promise<string> {
  const program = await createProgram();
  const commands = program.commands.flatMap(leaves);
  return `<!-- Generated from the commands themselves by \`npm run docs\`. Do not edit. -->

# Command line

In a clone, type \`npx holdfast\` where this page says \`holdfast\`. \`npx holdfast COMMAND --help\` prints the same, with examples.
Settings are environment variables ([configuration](configuration.md)); flags take precedence over them. Exit codes are
[listed with the errors](errors.md#exit-codes-of-the-command-line).

${markdownTable(
  ['command', ''],
  commands.map((command) => [
    `[\`${nameOf(command)}\`](#${nameOf(command).replaceAll(' ', '-')})`,
    command.description(),
  ]),
)}

## Options of every command

${optionsTable(program)}

${commands.map(section).join('\n\n')}
`;
}

function leaves(command: Command): Command[] {
  return command.commands.length > 0 ? command.commands.flatMap(leaves) : [command];
}

function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}

function section(command: Command): string {
  const words = command.registeredArguments.map((argument) => {
    const name = argument.name() + (argument.variadic ? '...' : '');
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  const described = command.registeredArguments.filter(({ description }) => description);
  const parts = [
    `## ${nameOf(command)}`,
    `\`${[nameOf(command), ...words].join(' ')}\`: ${command.description()}`,
    described.length > 0 &&
      markdownTable(
        ['argument', ''],
        described.map((argument) => [
          `\`${argument.name()}\``,
          withFacts(argument.description, [choicesOf(argument.argChoices)]),
        ]),
      ),
    optionsTable(command),
  ];
  return parts.filter(Boolean).join('\n\n');
}

function optionsTable(command: Command): string {
  const options = command.options.filter(({ hidden }) => !hidden);
  if (options.length === 0) return '';
  return markdownTable(
    ['option', ''],
    options.map((option) => [
      `\`${option.flags}\``,
      withFacts(option.description, [
        option.mandatory && 'required',
        choicesOf(option.argChoices),
        defaultOf(option),
      ]),
    ]),
  );
}

function choicesOf(choices: readonly string[] | undefined): string | false {
  return choices !== undefined && `one of ${choices.join(', ')}`;
}

function defaultOf({ defaultValue, negate }: Option): string | false {
  const isShown = defaultValue !== undefined && typeof defaultValue !== 'boolean' && !negate;
  return isShown && !(Array.isArray(defaultValue) && defaultValue.length === 0) && `default: ${defaultValue}`;
}

function withFacts(description: string, facts: (string | false)[]): string {
  const list = facts.filter(Boolean).join('; ');
  if (!list) return description;
  // One pair of parentheses.
  return description.endsWith(')') ? `${description.slice(0, -1)}; ${list})` : `${description} (${list})`;
}
