import { rulesOf02 } from './rules-of-0-2.ts';
import { isSessionName, looksRandom, withoutPathSession } from './session-parameters.ts';
import { isTrackingParameter } from './tracking-parameters.ts';

/** What makes two URLs one. Names are given in lower case. */
export interface UrlRules {
  isTracking(name: string): boolean;
  mayBeSession(name: string): boolean;
  /** For a name that may be a session's. */
  isSession(name: string, value: string): boolean;
  withoutPathSession(path: string): string;
  /** The form whose hash names a canonical URL. A URL is fetched as it was found, not in this form. */
  identity(url: string): string;
}

/** A crawl keeps the rules it began with: its visited set holds hashes made by them. */
export type UrlRulesVersion = 1 | 2;
export const currentUrlRules: UrlRulesVersion = 2;

export const urlRules: Readonly<Record<UrlRulesVersion, UrlRules>> = {
  1: rulesOf02,
  2: {
    isTracking: isTrackingParameter,
    mayBeSession: isSessionName,
    isSession: (_, value) => looksRandom(value),
    withoutPathSession,
    identity: withOneSpace,
  },
};

/** `+` and `%20` both mean a space in a query. */
function withOneSpace(url: string): string {
  const space = url.indexOf('%20');
  if (space === -1) return url;
  const query = url.indexOf('?');
  if (query === -1) return url;
  return url.slice(0, query) + url.slice(query).replaceAll('%20', '+');
}
