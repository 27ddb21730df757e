import { getDomain } from 'tldts';

/** Never needed for the text of a page. */
const heavyTypes = new Set(['image', 'media', 'font', 'texttrack', 'manifest']);

/** Analytics, advertising and session recording: registrable domains that serve nothing else. */
const trackers = new Set([
  'adnxs.com',
  'adsrvr.org',
  'amazon-adsystem.com',
  'bat.bing.com',
  'chartbeat.com',
  'clarity.ms',
  'criteo.com',
  'criteo.net',
  'crazyegg.com',
  'doubleclick.net',
  'facebook.net',
  'fullstory.com',
  'google-analytics.com',
  'googleadservices.com',
  'googlesyndication.com',
  'googletagmanager.com',
  'googletagservices.com',
  'heapanalytics.com',
  'hotjar.com',
  'matomo.cloud',
  'mixpanel.com',
  'mouseflow.com',
  'newrelic.com',
  'nr-data.net',
  'outbrain.com',
  'plausible.io',
  'pubmatic.com',
  'quantserve.com',
  'rubiconproject.com',
  'scorecardresearch.com',
  'segment.com',
  'segment.io',
  'taboola.com',
]);

export function isHeavy(resourceType: string): boolean {
  return heavyTypes.has(resourceType);
}

export function isTracker(url: string): boolean {
  return trackers.has(getDomain(url) ?? '');
}
