import { fingerprint } from './fingerprint.ts';

/** What a page says, as far as it can prove that two pages are the same. */
export interface ContentProof {
  /** Title and main text, to the letter; null where they are not known. */
  readonly exact: number | null;
  /** The words that they use, but for numbers and the names of months and days; null where nobody asked. */
  readonly wording: number | null;
  /** Too few words to prove anything. */
  readonly isThin: boolean;
}

const thinWords = 8;

export function contentProof(page: {
  readonly title?: string | null;
  readonly content_hash?: string | null;
  readonly word_count?: number | null;
  readonly wording?: number | null;
}): ContentProof {
  const { title, content_hash, word_count, wording = null } = page;
  return {
    exact: content_hash ? fingerprint(`${title ?? ''}\n${content_hash}`) : null,
    wording,
    isThin: (word_count ?? 0) < thinWords,
  };
}

/** For pages of a calendar: the same words, whatever the date. */
export function wordingOf(title: string | null, text: string): number {
  const names = dateWords();
  const words = new Set<string>();
  for (const [word] of `${title ?? ''} ${text}`.toLowerCase().matchAll(/\p{L}{2,}/gu))
    if (!names.has(word)) words.add(word);
  return fingerprint([...words].sort().join(' '));
}

let known: ReadonlySet<string> | undefined;

/** Names of months and days, long and short, in the languages that most calendars are in. */
function dateWords(): ReadonlySet<string> {
  if (known) return known;
  const words = new Set(['st', 'nd', 'rd', 'th', 'am', 'pm']);
  const locales = [
    'en',
    'de',
    'fr',
    'es',
    'it',
    'pt',
    'nl',
    'pl',
    'cs',
    'sv',
    'da',
    'nb',
    'fi',
    'hu',
    'ru',
    'uk',
    'tr',
    'el',
  ];
  for (const locale of locales)
    for (const length of ['long', 'short'] as const) {
      const format = new Intl.DateTimeFormat(locale, { month: length, weekday: length, day: 'numeric' });
      const alone = new Intl.DateTimeFormat(locale, { month: length });
      for (let n = 0; n < 12; n++) {
        // Every month, and every day of the week.
        const date = new Date(Date.UTC(2024, n, 1 + n, 12));
        for (const text of [format.format(date), alone.format(date)])
          for (const [word] of text.toLowerCase().matchAll(/\p{L}{2,}/gu)) words.add(word);
      }
    }
  known = words;
  return words;
}
