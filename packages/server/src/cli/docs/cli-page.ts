import type { Command, Option } from 'commander';
import { createProgram } from '../program.ts';

/** docs/cli.md: every command with its arguments and options, as `--help` tells them. */
export async function cliPage(): Promise<string> {
  const program = await createProgram();
  const commands = program.commands.flatMap(leaves);
  return `<!-- Generated from the commands themselves by \`npm run docs\`. Do not edit. -->

# Command line

In a clone, type \`npx holdfast\` where this page says \`holdfast\`. \`npx holdfast COMMAND --help\` prints the same, with examples.
Settings are environment variables ([configuration](configuration.md)); a flag goes before its variable. Exit codes are
[listed with the errors](errors.md#exit-codes-of-the-command-line).

${table(
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
      table(
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
  return table(
    ['option', ''],
    options.map((option) => [
      `\`${option.flags}\``,
      withFacts(option.description, [
        option.mandatory && 'needed',
        choicesOf(option.argChoices),
        standardOf(option),
      ]),
    ]),
  );
}

function choicesOf(choices: readonly string[] | undefined): string | false {
  return choices !== undefined && `one of ${choices.join(', ')}`;
}

function standardOf({ defaultValue, negate }: Option): string | false {
  const isSaid = defaultValue !== undefined && typeof defaultValue !== 'boolean' && !negate;
  return (
    isSaid && !(Array.isArray(defaultValue) && defaultValue.length === 0) && `${defaultValue} if left out`
  );
}

function withFacts(description: string, facts: (string | false)[]): string {
  const said = facts.filter(Boolean).join('; ');
  return said ? `${description} (${said})` : description;
}

function table(headers: string[], rows: string[][]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const line = (cells: string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(headers), line(headers.map(() => '---')), ...rows.map(line)].join('\n');
}
