/** Names that servers give to session ids. The name alone is no proof: `session_id=3` may be a talk. */
const sessionNames: ReadonlySet<string> = new Set([
  ...['phpsessid', 'jsessionid', 'aspsessionid', 'oscsid', 'zenid', 'cfid', 'cftoken', 'xtsid'],
  ...['sessid', 'sessionid', 'session_id', 'session', 'sess', 'sid', 's'],
]);

export function isSessionName(name: string): boolean {
  return sessionNames.has(name) || name.startsWith('aspsessionid');
}

const tokenShape = /^[0-9a-z,._!~-]{16,128}$/i;
const separators = /[,._!~-]/;
/** UUIDs in URLs usually identify things, not sessions. */
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const minRun = 16;
/** Changes between letters and digits: words and dates have few, tokens many. */
const minChanges = 5;

/**
 * Whether a value looks random: in a run of at least 16 characters, letters and digits alternate many times. The session ids of
 * PHP, Java and ASP.NET do; `2024-fall-semester`, `iphone-15-pro-max-256` and numbers do not.
 */
export function looksRandom(value: string): boolean {
  if (value.length < minRun || !tokenShape.test(value) || uuid.test(value)) return false;
  return value.split(separators).some(isRandomRun);
}

function isRandomRun(run: string): boolean {
  if (run.length < minRun) return false;
  let changes = 0;
  let before: boolean | undefined;
  for (let i = 0; i < run.length; i++) {
    const isDigit = run.charCodeAt(i) <= 0x39;
    if (before !== undefined && isDigit !== before) changes++;
    before = isDigit;
  }
  return changes >= Math.max(minChanges, run.length / 6);
}

// Java's `;jsessionid=…` ends at the next `;` or `/`; ASP.NET's cookieless `(S(…))` is a segment of its own.
const pathParameter = /;(?:jsessionid|phpsessid|sessionid|sid)=([^;/]*)/gi;
const cookielessSegment = /\/\(((?:[A-Z]\([0-9a-z_-]{8,}\))+)\)(?=\/)/gi;

/** Removes session ids from a path. */
export function withoutPathSession(path: string): string {
  let result = path;
  if (path.includes(';'))
    result = result.replace(pathParameter, (whole, value: string) => (looksRandom(value) ? '' : whole));
  if (path.includes('/('))
    result = result.replace(cookielessSegment, (whole, parts: string) =>
      parts.split(/[()]/).some(looksRandom) ? '' : whole,
    );
  // `/.;jsessionid=…/` leaves a dot segment.
  return result.length < path.length ? new URL(result, 'http://host/').pathname : path;
}

/**
 * Parameters that say where a visitor came from and never select content: the names that vendors document, in lower case. No
 * prefixes, because `utm_zone` belongs to maps and `pk_id` to databases; no `ref`, `source` and the like, by which some sites
 * select content.
 */
const trackingParameters: ReadonlySet<string> = new Set([
  // Google Analytics campaigns, and what other tools add to the family
  ...['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content', 'utm_id', 'utm_source_platform'],
  ...['utm_creative_format', 'utm_marketing_tactic', 'utm_campaignid', 'utm_campaign_id', 'utm_adgroup'],
  ...['utm_adgroupid', 'utm_ad', 'utm_adid', 'utm_keyword', 'utm_kw', 'utm_name', 'utm_cid', 'utm_reader'],
  ...[
    'utm_referrer',
    'utm_brand',
    'utm_social',
    'utm_social-type',
    'utm_viz_id',
    'utm_pubreferrer',
    'utm_swu',
  ],
  ...['utm_expid', 'utm_userid', 'utm_user', 'utm_place', 'utm_placement', 'utm_device', 'utm_network'],
  ...['utm_channel', 'utm_email', 'utm_mailing', 'utm_partner', 'utm_affiliate', 'utm_sq', 'utm_nooverride'],
  // Google Ads and Analytics
  ...['gclid', 'gclsrc', 'gbraid', 'wbraid', 'dclid', 'gad', 'gad_source', 'gad_campaignid', 'srsltid'],
  ...['_ga', '_gl', '_gac'],
  // Meta, Microsoft, X, TikTok, LinkedIn, Pinterest, Reddit, Snapchat, Yahoo, Alibaba, Wikipedia
  ...['fbclid', 'fb_action_ids', 'fb_action_types', 'fb_source', 'fb_comment_id', 'igsh', 'igshid'],
  ...['msclkid', 'twclid', 'ttclid', 'li_fat_id', 'epik', 'rdt_cid', 'sccid'],
  ...['guccounter', 'guce_referrer', 'guce_referrer_sig', 'spm', 'wprov'],
  // Yandex, Baidu, affiliate networks, deep links
  ...['yclid', 'ysclid', 'ymclid', '_openstat', 'hmsr', 'hmpl', 'hmcu', 'hmkw', 'hmci'],
  ...['irclickid', 'irgwc', 'awc', 'zanpid', 'wickedid', '_branch_match_id', '_branch_referrer'],
  // Matomo
  ...['mtm_campaign', 'mtm_kwd', 'mtm_keyword', 'mtm_source', 'mtm_medium', 'mtm_content', 'mtm_cid'],
  ...['mtm_group', 'mtm_placement', 'matomo_campaign', 'matomo_kwd'],
  ...['pk_campaign', 'pk_cpn', 'pk_kwd', 'pk_keyword', 'pk_source', 'pk_medium', 'pk_content', 'pk_cid'],
  ...['piwik_campaign', 'piwik_kwd', 'piwik_keyword'],
  // Piano (AT Internet), Mapp (Webtrekk), Webtrends
  ...['at_medium', 'at_campaign', 'at_creation', 'at_format', 'at_variant', 'at_platform', 'at_network'],
  ...['at_source', 'at_term', 'at_channel', 'at_type', 'at_audience', 'at_emailtype', 'at_send_date'],
  ...['at_send_time', 'at_link', 'at_link_id', 'at_link_type', 'at_link_origin', 'at_recipient_id'],
  ...['at_recipient_list', 'at_general_placement', 'at_detail_placement', 'at_ptr_name', 'at_bbc_team'],
  ...['at_campaign_type', 'at_custom1', 'at_custom2', 'at_custom3', 'at_custom4', 'xtor', 'xtref'],
  ...['wt_mc', 'wt_zmc', 'wt_cc1', 'wt.mc_id', 'wt.mc_ev', 'wt.tsrc', 'wt.srch'],
  // Mailings
  ...['mc_cid', 'mc_eid', 'mkt_tok', '_hsenc', '_hsmi', '__hssc', '__hstc', '__hsfp', 'hsctatracking'],
  ...['hsa_acc', 'hsa_cam', 'hsa_grp', 'hsa_ad', 'hsa_src', 'hsa_tgt', 'hsa_kw', 'hsa_mt', 'hsa_net'],
  ...['hsa_ver', 'hsa_la', 'hsa_ol', 'vero_id', 'vero_conv', '_kx', 'oly_anon_id', 'oly_enc_id'],
  ...['ml_subscriber', 'ml_subscriber_hash', 'bsft_clkid', 'bsft_uid', 'dm_i'],
  ...['trk_contact', 'trk_msg', 'trk_module', 'trk_sid', 's_cid', 's_kwcid'],
]);

/** Whether a parameter with this lower-case name serves only tracking. */
export function isTrackingParameter(name: string): boolean {
  return trackingParameters.has(name);
}

/** The words of a name in lower case: `startDate`, `start_date` and `start-date` have the same two. */
export function wordsOfName(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}
