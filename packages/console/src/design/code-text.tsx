/** A sentence from the server, with `code` in backticks. */
export function CodeText({ text }: { readonly text: string }) {
  const parts = text.split('`').map((part, index) => ({ part, at: index, isCode: index % 2 === 1 }));
  return parts.map(({ part, at, isCode }) => (isCode ? <code key={at}>{part}</code> : part));
}
