/**
 * Parameters that say how a visitor came, never what the page shows. The one place where they are listed; lower case,
 * compared without regard to case. `ref`, `source` and the like are left out: some sites choose content by them.
 */
const trackingParameters: ReadonlySet<string> = new Set([
  // Google Ads and Analytics
  'gclid',
  'gclsrc',
  'gbraid',
  'wbraid',
  'dclid',
  'gad',
  'gad_source',
  'gad_campaignid',
  'srsltid',
  '_ga',
  '_gl',
  '_gac',
  // Meta, Microsoft, X, TikTok, LinkedIn, Pinterest, Reddit, Snapchat
  'fbclid',
  'fb_action_ids',
  'fb_action_types',
  'fb_source',
  'igsh',
  'igshid',
  'msclkid',
  'twclid',
  'ttclid',
  'li_fat_id',
  'epik',
  'rdt_cid',
  'scid',
  'sccid',
  // Yandex, Baidu, affiliate networks
  'yclid',
  'ysclid',
  '_openstat',
  'hmsr',
  'hmpl',
  'hmcu',
  'hmkw',
  'hmci',
  'irclickid',
  'irgwc',
  'awc',
  'zanpid',
  'wickedid',
  // Mailings
  'mc_cid',
  'mc_eid',
  'mkt_tok',
  '_hsenc',
  '_hsmi',
  '__hssc',
  '__hstc',
  '__hsfp',
  'hsctatracking',
  'vero_id',
  'vero_conv',
  '_kx',
  'oly_anon_id',
  'oly_enc_id',
  'ml_subscriber',
  'ml_subscriber_hash',
  'dm_i',
  'trk_contact',
  'trk_msg',
  'trk_module',
  'trk_sid',
  's_cid',
]);

/** Families that grow: utm_source, utm_source_platform; pk_campaign, piwik_kwd, mtm_source (Matomo). */
const trackingPrefixes = ['utm_', 'pk_', 'piwik_', 'mtm_', 'matomo_', 'hsa_'];

/** Whether a query parameter of this lower-case name is there for tracking alone. */
export function isTrackingParameter(name: string): boolean {
  if (trackingParameters.has(name)) return true;
  return name.includes('_') && trackingPrefixes.some((prefix) => name.startsWith(prefix));
}
