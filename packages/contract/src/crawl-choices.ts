/* Apart from the schemas, so that the console can offer them without loading those. */

export const crawlStrategies = ['auto', 'recursive', 'sitemap', 'batch', 'single', 'text'] as const;
export const crawlScopes = ['host', 'subdomains', 'any'] as const;
export const contentChoices = ['main', 'full'] as const;
