interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** docs/routes.md: every route of the OpenAPI document, by subject. */
export function routesPage({ paths }: ApiDocument): string {
  const bySubject = new Map<string, string[][]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { summary = '', description = '', tags = [] }] of Object.entries(operations)) {
      const [, scope = ''] = /Needs the scope `([^`]+)`/.exec(description) ?? [];
      const subject = tags[0] ?? 'the server itself';
      const row = [`\`${method.toUpperCase()} ${path}\``, summary, scope && `\`${scope}\``];
      bySubject.set(subject, [...(bySubject.get(subject) ?? []), row]);
    }
  }
  const sections = [...bySubject].map(
    ([subject, rows]) => `## ${subject}\n\n${table(['route', '', 'scope'], rows)}`,
  );
  return `<!-- Generated from the OpenAPI document by \`npx vitest run test/docs/routes.test.ts -u\`. Do not edit. -->

# Routes

Every route of the HTTP API. A running server documents all fields at \`/api/docs\` and serves OpenAPI 3.1 at
\`/api/openapi.json\`. [HTTP API](api.md) explains keys, errors, lists and events.

${sections.join('\n\n')}
`;
}

function table(headers: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(headers), line(headers.map(() => '---')), ...rows.map(line)].join('\n');
}
