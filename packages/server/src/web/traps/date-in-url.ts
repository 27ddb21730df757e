import { wordsOfName } from '../urls/url-parameters.ts';

export interface UrlDate {
  /** The URL without its dates: the same for all days of a calendar, and for all its months. */
  readonly template: string;
  /** For a day, the template of the calendar's months. */
  readonly coarser: string | null;
  /** The last date as yyyymmdd; the day of a month is 0. */
  readonly date: number;
  /** All dates. */
  readonly dates: readonly number[];
  /** Several dates, or a time of day: even a few years contain any number of these. */
  readonly isRange: boolean;
  /** The parameters that are not dates. */
  readonly rest: readonly string[];
}

const isoDate = /^(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(T.*|$)/;
const compactDate = /^(\d{4})(\d{2})(\d{2})$/;

/** Numbers outside these years are dates only next to a word that says so. */
const plausibleYears = { first: 1900, last: 2199 };
const yearNames = new Set(['year', 'yr', 'yyyy', 'y', 'jahr', 'ano', 'annee', 'anno']);
const monthNames = new Set(['month', 'mon', 'mm', 'm', 'monat', 'mes', 'mois', 'mese']);
const dayNames = new Set(['day', 'dd', 'd', 'tag', 'dia', 'jour', 'giorno']);

const dateNames = new Set([
  ...['date', 'dt', 'datum', 'fecha', 'datetime', 'ymd', 'when', 'week', 'period', 'time'],
  ...['from', 'to', 'start', 'end', 'begin', 'since', 'until', 'till', 'before', 'after', 'von', 'bis'],
  ...['calendar', 'cal', 'events', 'event', 'agenda', 'archive', 'archives', 'schedule', 'diary'],
  ...['kalender', 'termine', 'archiv', 'calendrier', 'calendario', 'daily', 'monthly', 'booking'],
  ...yearNames,
  ...monthNames,
  ...dayNames,
]);

const isDateName = (name: string): boolean => wordsOfName(name).some((word) => dateNames.has(word));

/** The date at the end of a URL's path (`/calendar/2031-05`, `/2031/05/12/`) or in its query, if any. */
export function dateInUrl(url: string, segments: readonly string[], query: string): UrlDate | null {
  const pieces = query === '' ? [] : query.split('&');
  const inPath = dateInPath(segments);
  const inQuery = dateInQuery(pieces);
  const last = inQuery?.date ?? inPath?.date;
  if (last === undefined) return null;
  const rest = inQuery?.rest ?? pieces;
  const document = inPath
    ? `${url.slice(0, url.indexOf('/', 8))}/${segments.slice(0, inPath.from).join('/')}/#`
    : url.split('?', 1)[0];
  // Months and days are separate groups: an empty month may link to days that are not empty.
  const month = `${document}?${inQuery ? '#&' : ''}${rest.join('&')}`;
  const hasDay = last % 100 > 0;
  return {
    template: hasDay ? `${month} day` : month,
    coarser: hasDay ? month : null,
    date: last,
    dates: [...(inPath ? [inPath.date] : []), ...(inQuery?.dates ?? [])],
    isRange: (inPath !== null && inQuery !== null) || inQuery?.isRange === true || inPath?.hasTime === true,
    rest,
  };
}

/** Only at the end of the path: a date before a title belongs to an article, not a calendar. */
function dateInPath(segments: readonly string[]): { from: number; date: number; hasTime: boolean } | null {
  const count = segments.at(-1) === '' ? segments.length - 1 : segments.length;
  const last = segments[count - 1];
  if (last === undefined || !/^\d/.test(last)) return null;
  const isNamed = () => segments.slice(0, count).some((segment) => isDateName(segment));
  const whole = dateOf(last);
  if (whole) {
    const isPlain = !whole.isCompact && isPlausible(whole.date);
    return isPlain || isNamed() ? { from: count - 1, date: whole.date, hasTime: whole.hasTime } : null;
  }
  for (const length of [3, 2]) {
    const parts = segments.slice(Math.max(0, count - length), count);
    if (parts.length !== length || !/^\d{4}$/.test(parts[0] as string)) continue;
    const found = dateOf(parts.join('-'));
    if (found && (isPlausible(found.date) || isNamed()))
      return { from: count - length, date: found.date, hasTime: false };
  }
  return null;
}

function dateInQuery(pieces: readonly string[]): QueryDates | null {
  let [year, month, day] = ['', '', ''];
  const wholes: FoundDate[] = [];
  const rest: string[] = [];
  for (const piece of pieces) {
    const [name = '', raw = ''] = piece.split('=');
    if (!/^\d/.test(raw)) {
      rest.push(piece);
      continue;
    }
    const value = raw.replaceAll(/%2f/gi, '/').replaceAll(/%3a/gi, ':');
    const kind = wordsOfName(name).at(-1) ?? '';
    const found = isDateName(name) ? dateOf(value) : null;
    if (found) wholes.push(found);
    else if (/^\d{4}$/.test(value) && yearNames.has(kind)) year = value;
    else if (/^\d{1,2}$/.test(value) && monthNames.has(kind)) month = value;
    else if (/^\d{1,2}$/.test(value) && dayNames.has(kind)) day = value;
    else rest.push(piece);
  }
  const parts = year && month ? dateOf(`${year}-${month}${day && `-${day}`}`) : null;
  if (parts) wholes.push(parts);
  const last = wholes.at(-1);
  if (!last) return null;
  const dates = wholes.map(({ date }) => date);
  return { date: last.date, dates, isRange: wholes.length > 1 || last.hasTime, rest };
}

type QueryDates = Pick<UrlDate, 'date' | 'dates' | 'isRange'> & { rest: string[] };

interface FoundDate {
  readonly date: number;
  readonly isCompact: boolean;
  readonly hasTime: boolean;
}

function dateOf(text: string): FoundDate | null {
  if (text.length < 6 || text.length > 32) return null;
  const iso = isoDate.exec(text);
  const match = iso ?? compactDate.exec(text);
  if (!match) return null;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
  if (month < 1 || month > 12 || day > 31) return null;
  return { date: year * 10_000 + month * 100 + day, isCompact: !iso, hasTime: Boolean(iso?.[4]) };
}

function isPlausible(date: number): boolean {
  const year = Math.floor(date / 10_000);
  return year >= plausibleYears.first && year <= plausibleYears.last;
}

/**
 * Removes the date of a URL from the words of its page: names of months and days, the numbers of its date, and years by their
 * distance, so that an empty December may name the next year. All other numbers stay.
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

let knownDateWords: ReadonlySet<string> | undefined;

/** Names of months and days, long and short, in the languages of most calendars. */
function dateWords(): ReadonlySet<string> {
  if (knownDateWords) return knownDateWords;
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
  knownDateWords = words;
  return words;
}
