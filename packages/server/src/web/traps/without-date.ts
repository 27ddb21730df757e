import type { UrlDate } from './date-in-url.ts';
import { dateWords } from './date-words.ts';

/**
 * Takes the date of a URL out of what its page says, word by word: the names of months and days, the numbers of its months
 * and days, and years told by their distance, so that an empty December may name the next year. All other numbers stay.
 */
export function withoutDate({ dates }: UrlDate): (word: string) => string {
  const names = dateWords();
  const numbers = new Set<string>();
  const years = new Set<number>();
  for (const date of dates) {
    years.add(Math.floor(date / 10_000));
    const month = Math.floor(date / 100) % 100;
    for (const number of [month, date % 100, date, Math.floor(date / 100)]) numbers.add(String(number));
  }
  return (word) => {
    if (!/^\d/.test(word)) return names.has(word) ? '' : word;
    if (numbers.has(word.replace(/^0+(?=\d)/, ''))) return '#';
    if (word.length !== 4) return word;
    for (const year of years) {
      const distance = Number(word) - year;
      if (Math.abs(distance) <= 1) return `year${distance}`;
    }
    return word;
  };
}
