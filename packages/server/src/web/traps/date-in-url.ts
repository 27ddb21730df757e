import { wordsOfName } from '../urls/url-parameters.ts';

export interface UrlDate {
  /** The URL with its dates taken out: one for all days of a calendar, and one for its months. */
  readonly template: string;
  /** The template of the calendar's months, for a day. */
  readonly coarser: string | null;
  /** yyyymmdd; the day is 0 for a month. The last one, where there are several. */
  readonly date: number;
  /** All of them. */
  readonly dates: readonly number[];
  /** Several dates, or a time of day: there is no end to these even within a few years. */
  readonly isRange: boolean;
  /** The pieces of the query that are no date. */
  readonly rest: readonly string[];
}

const isoDate = /^(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(T.*|$)/;
const compactDate = /^(\d{4})(\d{2})(\d{2})$/;
/** Without a word that says so, other years are numbers of something else. */
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

/** The date that a URL's path ends in (`/calendar/2031-05`, `/2031/05/12/`) or that its query holds, if any. */
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
  // Months and days are two groups: an empty month may lead to days that are not empty.
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

/** Only at the end: behind a date stands the title of an article, and articles are no calendar. */
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
