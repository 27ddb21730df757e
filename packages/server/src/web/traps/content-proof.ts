/** What a page shows and where it leads, as far as it can prove that two pages are the same. Fingerprints. */
export interface ContentProof {
  /** All text, media, and links but those below, in order; null for a page that shows next to nothing. */
  readonly exact: number | null;
  /** The same without the date in the URL; null where there is none. */
  readonly undated: number | null;
  /** Links to other queries on the same path. */
  readonly queries: number;
  /** The parameters that those links add or change. */
  readonly added: readonly number[];
  /** By group: links that bear the sign of another trap of this kind. Those that bear the same sign are part of the trap. */
  readonly leads: readonly (readonly [group: string, links: number])[];
  /** Too few words to prove anything. */
  readonly isThin: boolean;
}

/** Main text of fewer words is thin. */
export const thinWords = 8;
