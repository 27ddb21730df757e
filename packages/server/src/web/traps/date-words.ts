let known: ReadonlySet<string> | undefined;

/** Names of months and days, long and short, in the languages that most calendars are in. */
export function dateWords(): ReadonlySet<string> {
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
