/* Apart from the schemas, so that the console can offer them without loading those. */

export const crawlStrategies = ['auto', 'recursive', 'sitemap', 'batch', 'single', 'text'] as const;
export const crawlScopes = ['host', 'subdomains', 'any'] as const;
export const contentChoices = ['main', 'full'] as const;
/** What to try when a page is blocked. */
export const blockEscalations = ['proxy', 'render'] as const;
export type BlockEscalation = (typeof blockEscalations)[number];
