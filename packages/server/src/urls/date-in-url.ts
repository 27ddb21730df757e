export interface UrlDate {
  /** The URL with its date taken out: one for a whole calendar. */
  readonly template: string;
  /** yyyymmdd; the day is 0 for a month. */
  readonly date: number;
}

const isoDate = /^(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?:T.*)?$/;
const compactDate = /^(\d{4})(\d{2})(\d{2})$/;
const yearNames = /^(?:.*[_-])?(?:year|yr|yyyy|y|jahr|ano|annee|anno)$/;
const monthNames = /^(?:.*[_-])?(?:month|mon|mm|m|monat|mes|mois|mese)$/;
const dayNames = /^(?:.*[_-])?(?:day|dd|d|tag|dia|jour|giorno)$/;

/** The date that a URL's path ends in (`/calendar/2031-05`, `/2031/05/12/`) or that its query holds, if any. */
export function dateInUrl(url: string, segments: readonly string[], query: string): UrlDate | null {
  const inPath = dateInPath(segments);
  if (inPath) {
    const before = segments.slice(0, inPath.from).join('/');
    return { template: `${hostPart(url)}/${before}/#?${query}`, date: inPath.date };
  }
  return query === '' ? null : dateInQuery(url, query);
}

/** Only at the end: behind a date stands the title of an article, and articles are no calendar. */
function dateInPath(segments: readonly string[]): { from: number; date: number } | null {
  const count = segments.at(-1) === '' ? segments.length - 1 : segments.length;
  const last = segments[count - 1];
  if (last === undefined) return null;
  const whole = dateOf(last);
  if (whole !== null) return { from: count - 1, date: whole };
  for (const length of [3, 2]) {
    const parts = segments.slice(Math.max(0, count - length), count);
    if (parts.length !== length || !/^\d{4}$/.test(parts[0] as string)) continue;
    const date = dateOf(parts.join('-'));
    if (date !== null) return { from: count - length, date };
  }
  return null;
}

function dateInQuery(url: string, query: string): UrlDate | null {
  let [year, month, day] = ['', '', ''];
  let whole: number | null = null;
  const rest: string[] = [];
  for (const piece of query.split('&')) {
    const [name = '', value = ''] = piece.toLowerCase().replaceAll('%2f', '/').split('=');
    const date = dateOf(value);
    if (date !== null) whole = date;
    else if (/^\d{4}$/.test(value) && yearNames.test(name)) year = value;
    else if (/^\d{1,2}$/.test(value) && monthNames.test(name)) month = value;
    else if (/^\d{1,2}$/.test(value) && dayNames.test(name)) day = value;
    else rest.push(piece);
  }
  whole ??= year && month ? dateOf(`${year}-${month}${day && `-${day}`}`) : null;
  if (whole === null) return null;
  return { template: `${url.slice(0, url.indexOf('?'))}?#&${rest.join('&')}`, date: whole };
}

function dateOf(text: string): number | null {
  if (text.length < 6 || text.length > 32) return null;
  const match = isoDate.exec(text) ?? compactDate.exec(text);
  if (!match) return null;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
  const isDate = month >= 1 && month <= 12 && day <= 31;
  return isDate ? year * 10_000 + month * 100 + day : null;
}

const hostPart = (url: string): string => url.slice(0, url.indexOf('/', 8));
