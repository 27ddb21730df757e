/** Prints rows in aligned columns, numbers to the right. Control characters would break the terminal: they are shown. */
export function printTable(
  headers: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): void {
  const shown = rows.map((row) => row.map((cell) => printable(String(cell))));
  const widths = headers.map((header, column) =>
    Math.max(header.length, ...shown.map((row) => row[column]?.length ?? 0)),
  );
  const isNumber = headers.map((_, column) => rows.every((row) => typeof row[column] === 'number'));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        isNumber[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  console.log([line(headers), ...shown.map(line)].join('\n'));
}

export function printable(text: string): string {
  return text.replaceAll(
    /\p{Cc}/gu,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
