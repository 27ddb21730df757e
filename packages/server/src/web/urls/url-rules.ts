import { isSessionName, isTrackingParameter, looksRandom, withoutPathSession } from './url-parameters.ts';

/** Decides which URLs count as the same. Parameter names are in lower case. */
export interface UrlRules {
  isTracking(name: string): boolean;
  mayBeSession(name: string): boolean;
  /** Called only if `mayBeSession` is true for the name. */
  isSession(name: string, value: string): boolean;
  withoutPathSession(path: string): string;
  /** The form of a canonical URL that is hashed. The URL itself is fetched as it was found. */
  identity(url: string): string;
}

/** Stored with a crawl, whose visited set holds hashes made by these rules. */
export type UrlRulesVersion = 1 | 2;
export const currentUrlRules: UrlRulesVersion = 2;

/** The rules of new crawls. */
const rulesV2: UrlRules = {
  isTracking: isTrackingParameter,
  mayBeSession: isSessionName,
  isSession: (_, value) => looksRandom(value),
  withoutPathSession,
  identity: withOneSpace,
};

/** `+` and `%20` both mean a space in a query. */
function withOneSpace(url: string): string {
  const space = url.indexOf('%20');
  if (space === -1) return url;
  const query = url.indexOf('?');
  if (query === -1) return url;
  return url.slice(0, query) + url.slice(query).replaceAll('%20', '+');
}

/*
 * The rules of Holdfast 0.2. A crawl that began with them ends with them, and a recrawl looks its baseline's pages up by
 * them. Frozen: any change makes stored hashes unreadable.
 */

const trackingNamesV1: ReadonlySet<string> = new Set([
  ...['gclid', 'gclsrc', 'gbraid', 'wbraid', 'dclid', 'gad', 'gad_source', 'gad_campaignid', 'srsltid'],
  ...['_ga', '_gl', '_gac', 'fbclid', 'fb_action_ids', 'fb_action_types', 'fb_source', 'igsh', 'igshid'],
  ...['msclkid', 'twclid', 'ttclid', 'li_fat_id', 'epik', 'rdt_cid', 'scid', 'sccid', 'yclid', 'ysclid'],
  ...['_openstat', 'hmsr', 'hmpl', 'hmcu', 'hmkw', 'hmci', 'irclickid', 'irgwc', 'awc', 'zanpid', 'wickedid'],
  ...['mc_cid', 'mc_eid', 'mkt_tok', '_hsenc', '_hsmi', '__hssc', '__hstc', '__hsfp', 'hsctatracking'],
  ...['vero_id', 'vero_conv', '_kx', 'oly_anon_id', 'oly_enc_id', 'ml_subscriber', 'ml_subscriber_hash'],
  ...['dm_i', 'trk_contact', 'trk_msg', 'trk_module', 'trk_sid', 's_cid'],
]);
const trackingPrefixesV1 = ['utm_', 'pk_', 'piwik_', 'mtm_', 'matomo_', 'hsa_'];

/** Removed by name alone. */
const sessionNamesV1: ReadonlySet<string> = new Set([
  ...['phpsessid', 'jsessionid', 'aspsessionid', 'sessid', 'sessionid', 'session_id', 'oscsid', 'zenid'],
  ...['cfid', 'cftoken'],
]);
/** Removed if the value looks random. */
const ambiguousNamesV1: ReadonlySet<string> = new Set(['sid', 's', 'sess', 'session', 'xtsid']);

const pathParameterV1 = /;(?:jsessionid|phpsessid|sessionid|sid)=[^;/]*/gi;
const cookielessSegmentV1 = /\/\((?:[A-Z]\([0-9a-z_-]{8,}\))+\)(?=\/)/gi;

const rulesV1: UrlRules = {
  isTracking: (name) =>
    trackingNamesV1.has(name) || trackingPrefixesV1.some((prefix) => name.startsWith(prefix)),
  mayBeSession: (name) => isSessionNameV1(name) || ambiguousNamesV1.has(name),
  isSession: (name, value) => isSessionNameV1(name) || looksRandomV1(value),
  withoutPathSession(path) {
    let result = path;
    if (path.includes(';')) result = result.replace(pathParameterV1, '');
    if (path.includes('/(')) result = result.replace(cookielessSegmentV1, '');
    return result.length < path.length ? new URL(result, 'http://host/').pathname : path;
  },
  identity: (url) => url,
};

function isSessionNameV1(name: string): boolean {
  return sessionNamesV1.has(name) || name.startsWith('aspsessionid');
}

function looksRandomV1(value: string): boolean {
  if (!/^[0-9a-z,_-]{16,128}$/i.test(value)) return false;
  const digits = value.match(/\d/g)?.length ?? 0;
  // Counts an underscore as a letter, as 0.2 did.
  const letters = value.match(/[a-z_]/gi)?.length ?? 0;
  return digits >= 3 && letters >= 1;
}

export const urlRules: Readonly<Record<UrlRulesVersion, UrlRules>> = { 1: rulesV1, 2: rulesV2 };
