/** Limits on what is taken from one page. The rest is left out; `truncated` reports it where it matters. */
export const limits = {
  links: 50_000,
  hrefLength: 2_048,
  attributeLength: 8_192,
  images: 5_000,
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
  /** Total over a page's items, because several itemrefs may repeat one long text. */
  microdataTotal: 2_097_152,
  /** Deeper elements join their ancestor at this depth, which keeps a million nested divs linear. */
  depth: 256,
  /** Elements and texts kept for the content pass. */
  nodes: 2_000_000,
  /** Deeper quotes and lists are written flat, because every level indents its lines again. */
  nestedBlocks: 8,
  tableCells: 20_000,
  markdownLength: 2_097_152,
} as const;
