/** What names, role and attributes suggest about an element. */
export const hint = {
  /** Navigation, sharing, advertising. */
  boilerplate: 1,
  /** Named as the text of an article. */
  body: 2,
  /** role=main and its like. */
  main: 4,
  hidden: 8,
  /** An inline element that ended in another block, so the extent of its formatting is unknown. */
  misnested: 16,
  /** Removed from the content. */
  gone: 32,
  comments: 64,
  /** Declared by the element itself (nav, role=banner), not only by a class name. */
  surely: 128,
  /** A caption: part of the content, but not of its running text. */
  caption: 256,
  /** Only the id suggests boilerplate, and it may be the slug of the heading. */
  byId: 1024,
  /** About cookies. A cookie dialog is often longer than the page. */
  consent: 512,
  /** Named as an overlay. */
  dialog: 2048,
  /** By their roles: a tab and its panel. */
  tab: 4096,
  tabPanel: 8192,
  /** An aside or alert: beside the text on some pages, a note within it on others. */
  aside: 16384,
  /** Named as a line of something, code perhaps. */
  line: 32768,
  /** Named as code. */
  code: 65536,
  /** Hidden from screen readers only: often a sign, and often shown. */
  unspoken: 131072,
  /** Named as a link to a heading. */
  permalink: 262144,
} as const;

const boilerplateWords = new Set([
  'ad', 'ads', 'advert', 'adverts', 'advertisement', 'advertising', 'adsense', 'adslot', 'adunit', 'adbox', 'sponsor',
  'sponsored', 'promo', 'promos', 'promotion', 'promoted', 'nav', 'navbar', 'navigation', 'navbox', 'menu', 'submenu',
  'breadcrumb', 'breadcrumbs', 'crumbs', 'footer', 'masthead', 'sidebar', 'sidenav', 'rail', 'aside', 'widget',
  'widgets', 'share', 'shares', 'sharing', 'sharebar', 'sharethis', 'sharedaddy', 'addthis', 'addtoany', 'social',
  'socials', 'follow', 'related', 'relatedposts', 'recommend', 'recommended', 'recommendation', 'recommendations',
  'recirc', 'recirculation', 'trending', 'popular', 'outbrain', 'taboola', 'newsletter', 'newsletters', 'subscribe',
  'subscription', 'signup', 'login', 'signin', 'register', 'paywall', 'cookie', 'cookies', 'consent', 'gdpr', 'popup',
  'modal', 'lightbox', 'overlay', 'toolbar', 'toolbox', 'pager', 'pagination', 'paginate', 'tags', 'taglist',
  'tagcloud', 'categories', 'catlinks', 'toc', 'skip', 'skiplink', 'print', 'noprint', 'editsection', 'byline',
  'bylines', 'dateline', 'timestamp', 'credit', 'credits', 'copyright', 'disclaimer', 'legal', 'jump', 'ticker',
  'poll', 'survey', 'rating', 'ratings', 'vote', 'buttons', 'carousel', 'slideshow', 'bio', 'avatar', 'donate',
  'donation', 'syndication', 'backlinks', 'prevnext', 'postmeta', 'readmore', 'upsell', 'teaser',
  'teasers', 'hidden', 'invisible', 'linenos', 'lineno', 'gutter', 'nextprev',
]); // biome-ignore format: a list of words

const boilerplatePhrases = [
  'author-?(?:info|box|bio|card|profile|details?)', 'about-?(?:the-)?author', '(?:post|entry|article|story|page)-?(?:meta|info|tags|nav|footer|tools|actions|utility|date|byline|header-meta)',
  'more-?(?:stories|news|articles|posts|from|on|like|links|coverage)', 'most-?(?:read|popular|viewed|recent|shared|commented)', 'read-?(?:more|next|also|this-next)',
  'also-?(?:read|like|on|in)', 'up-?next', 'next-?(?:article|post|story|up)', 'prev(?:ious)?-?(?:article|post|story|next)', 'you-?may-?(?:also-?)?like', 'you-?might',
  'sr-only', 'visually-?hidden', 'screen-reader(?:-text)?', 'assistive-text', 'call-?to-?action', 'cta', 'sign-?up', 'log-?in', 'site-?(?:header|footer|nav)', 'page-?(?:footer|nav)',
  'global-?(?:header|footer|nav)', 'in-?read', 'inline-?(?:newsletter|promo|related|ad)', 'social-?(?:share|media|links|bar|icons|buttons|tools)', 'email-?(?:alert|signup|form)', 'opt-?in',
  'table-?of-?contents', 'back-?to-?top', 'next-?prev', 'to-?top', 'mw-(?:jump|indicators|editsection)', 'hatnote', 'ambox', 'pull-?quote', 'pullquote', 'video-?(?:playlist|list|info|title|description|caption)',
  'tag-?(?:list|links|cloud)', 'cat-?links', 'edit-?(?:link|this-page|page)', 'last-?updated', 'reading-?time', 'print-?(?:link|only|button)', 'article-?(?:list|feed|grid|related|end|bottom)', 'feedback',
  'line-?n(?:o|um|umber)s?', 'ln-?num(?:ber)?s?',
]; // biome-ignore format: a list of patterns

const commentWords = new Set([
  'comment', 'comments', 'commentlist', 'respond', 'disqus', 'livefyre', 'replies', 'discussion',
]); // biome-ignore format: a list of words
const boilerplatePhrase = new RegExp(`(?:^|-)(?:${boilerplatePhrases.join('|')})(?:-|\\d*$)`);
const permalink = /(?:^|-)(?:(?:hash|anchor)-link|(?:heading|header)-anchor|headerlink)(?:-|\d*$)/;
const body =
  /(?:^|-)(?:(?:article|entry|post|story|blog|news)-?(?:body|content|text|copy|main|entry|page)(?:-(?:text|content|body|inner|wrapper|container))?|articletext|storytext|body-?(?:copy|text)|markdown-body|mw-parser-output|e-content|rich-?text|rte|prose)(?:-|$)/;
const main =
  /^(?:main|main-?content|content-?(?:main|body|area)|page-?content|body-?content|primary-?content)$/;
const embedded = /embed|tweet|instagram-media/;
const consent =
  /(?:^|-)(?:cookies?(?!-?policy)|cookie-?(?:banner|bar|box|consent|dialog|law|message|modal|notice|popup|bot\w*)|cybot\w*|consent|gdpr|cmp|onetrust|usercentrics|didomi|truste|cmplz)(?:-|\d*$)/;
const dialog =
  /(?:^|-)(?:banner|bar|dialog|layer|lightbox|modal|notice|notification|overlay|popup|prompt|toast)(?:-|\d*$)/;
const caption =
  /(?:^|-)(?:captions?|figcaption|photo-?credit|image-?(?:credit|source|caption|title)|wp-caption-text|gallery-?(?:text|info|count))(?:-|\d*$)/;
/** States, tags and categories that blogs put on every element, and titles of notes: `has-sidebar`, `tag-social`. */
const notANoun =
  /^(?:tag|category|type|status|format|has|no|is|with|without|not|js|hentry|col|row|wp-block|admonition|callout)-/;
/** What follows does not describe the element itself: `anchor-with-sticky-navbar`. */
const qualifies = /(?<=\w)-(?:with|without|has|no|for|in|on|of|by|near|above|below|under)-.*$/;
/** Longer class attributes come from utility frameworks. */
const longestNames = 200;
/** Longer compounds are slugs of titles: `admonition-you-can-share-models-between-versions`. */
const longestCompound = 5;
const line = /(?:^|-)line$/;
const code =
  /(?:^|-)(?:code|codeblock|fragment|highlight|highlighted|listing|programlisting|snippet|source|sourcecode|syntaxhighlighter)(?:-|$)/;
const maxCached = 20_000;
const cache = new Map<string, number>();

/** Cached, because class names repeat within a page and across a site: 0.05 µs an element. */
export function classHints(names: string): number {
  const read = names.slice(0, longestNames);
  const known = cache.get(read);
  if (known !== undefined) return known;
  if (cache.size >= maxCached) cache.clear();
  const hints = readNames(read);
  cache.set(` ${read}`.slice(1), hints);
  return hints;
}

function readNames(names: string): number {
  let hints = 0;
  for (const name of names
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/\s+/)) {
    const noun = name
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .replace(qualifies, '');
    if (noun === '' || notANoun.test(noun)) continue;
    if (consent.test(noun)) hints |= hint.consent;
    if (dialog.test(noun)) hints |= hint.dialog;
    if (main.test(noun)) hints |= hint.main;
    if (permalink.test(noun)) hints |= hint.permalink;
    if (line.test(noun)) hints |= hint.line;
    if (code.test(noun)) hints |= hint.code;
    if (isBoilerplate(noun)) hints |= hint.boilerplate;
    if (noun.split('-').some((word) => commentWords.has(word))) hints |= hint.comments;
    if (caption.test(noun)) hints |= hint.caption;
    if (body.test(noun)) hints |= hint.body;
  }
  // Utility classes of elements that only wide screens show.
  if (/\bhidden\b.*:(?:block|flex|grid|inline)/.test(names)) hints &= ~hint.boilerplate;
  // An embedded post is content, whatever its element is called.
  return embedded.test(names) ? hints & ~hint.boilerplate : hints;
}

function isBoilerplate(noun: string): boolean {
  const words = noun.split('-');
  if (words.length > longestCompound) return false;
  for (const word of words) if (boilerplateWords.has(word.replace(/\d+$/, ''))) return true;
  return boilerplatePhrase.test(noun);
}
