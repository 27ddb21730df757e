import type { UrlRules } from './url-rules.ts';

/*
 * The rules of version 0.2. A crawl that began under them ends under them, and a recrawl finds the pages of such a
 * baseline by them. Frozen: a change here makes stored hashes unreadable.
 */

const trackingNames: ReadonlySet<string> = new Set([
  ...['gclid', 'gclsrc', 'gbraid', 'wbraid', 'dclid', 'gad', 'gad_source', 'gad_campaignid', 'srsltid'],
  ...['_ga', '_gl', '_gac', 'fbclid', 'fb_action_ids', 'fb_action_types', 'fb_source', 'igsh', 'igshid'],
  ...['msclkid', 'twclid', 'ttclid', 'li_fat_id', 'epik', 'rdt_cid', 'scid', 'sccid', 'yclid', 'ysclid'],
  ...['_openstat', 'hmsr', 'hmpl', 'hmcu', 'hmkw', 'hmci', 'irclickid', 'irgwc', 'awc', 'zanpid', 'wickedid'],
  ...['mc_cid', 'mc_eid', 'mkt_tok', '_hsenc', '_hsmi', '__hssc', '__hstc', '__hsfp', 'hsctatracking'],
  ...['vero_id', 'vero_conv', '_kx', 'oly_anon_id', 'oly_enc_id', 'ml_subscriber', 'ml_subscriber_hash'],
  ...['dm_i', 'trk_contact', 'trk_msg', 'trk_module', 'trk_sid', 's_cid'],
]);
const trackingPrefixes = ['utm_', 'pk_', 'piwik_', 'mtm_', 'matomo_', 'hsa_'];

/** Cut by name alone. */
const sessionNames: ReadonlySet<string> = new Set([
  ...['phpsessid', 'jsessionid', 'aspsessionid', 'sessid', 'sessionid', 'session_id', 'oscsid', 'zenid'],
  ...['cfid', 'cftoken'],
]);
/** Cut where the value looks random. */
const ambiguousNames: ReadonlySet<string> = new Set(['sid', 's', 'sess', 'session', 'xtsid']);

const pathParameter = /;(?:jsessionid|phpsessid|sessionid|sid)=[^;/]*/gi;
const cookielessSegment = /\/\((?:[A-Z]\([0-9a-z_-]{8,}\))+\)(?=\/)/gi;

export const rulesOf02: UrlRules = {
  isTracking: (name) => trackingNames.has(name) || trackingPrefixes.some((prefix) => name.startsWith(prefix)),
  mayBeSession: (name) => isSessionName(name) || ambiguousNames.has(name),
  isSession: (name, value) => isSessionName(name) || looksRandom(value),
  withoutPathSession(path) {
    let result = path;
    if (path.includes(';')) result = result.replace(pathParameter, '');
    if (path.includes('/(')) result = result.replace(cookielessSegment, '');
    return result.length < path.length ? new URL(result, 'http://host/').pathname : path;
  },
  identity: (url) => url,
};

function isSessionName(name: string): boolean {
  return sessionNames.has(name) || name.startsWith('aspsessionid');
}

function looksRandom(value: string): boolean {
  if (!/^[0-9a-z,_-]{16,128}$/i.test(value)) return false;
  const digits = value.match(/\d/g)?.length ?? 0;
  // As it was: an underscore counts as a letter.
  const letters = value.match(/[a-z_]/gi)?.length ?? 0;
  return digits >= 3 && letters >= 1;
}
