export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Columns as wide as their widest cell; the first to the left, the others, which are figures, to the right. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): Table {
  const lines = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const render = (line: readonly string[]) =>
    widths
      .map((width, column) => {
        const cell = line[column] ?? '';
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('   ')
      .trimEnd();
  console.log(`\n  ${render(header)}\n  ${widths.map((width) => '─'.repeat(width)).join('   ')}`);
  for (const row of rows) console.log(`  ${render(row)}`);
  console.log();
  return { header, rows };
}

export const thousands = (value: number) => Math.round(value).toLocaleString('en-US');
