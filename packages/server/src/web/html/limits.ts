/** What one page may give at most. Past a limit the rest is left out, and where it matters `truncated` says so. */
export const limits = {
  links: 50_000,
  hrefLength: 2_048,
  attributeLength: 8_192,
  titleLength: 1_024,
  descriptionLength: 4_096,
  headings: 500,
  headingLength: 512,
  openGraphProperties: 200,
  jsonLdBlocks: 100,
  jsonLdLength: 1_048_576,
  /** JSON.stringify and PostgreSQL's jsonb parser both recurse. */
  jsonDepth: 64,
  microdataItems: 1_000,
  microdataProperties: 10_000,
  microdataText: 65_536,
  /** Of all of a page's items: an itemref may name one long text again and again. */
  microdataTotal: 2_097_152,
  /** Deeper elements join their ancestor at this depth: a million nested divs stay linear. */
  depth: 256,
  /** Nodes of text and elements kept for the content pass. */
  nodes: 2_000_000,
  /** Quotes and lists nested deeper than this are written flat: every level indents its lines again. */
  nestedBlocks: 8,
  tableCells: 20_000,
  markdownLength: 2_097_152,
} as const;
