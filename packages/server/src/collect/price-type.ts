/** What somebody paid, what somebody asks, what somebody offers. */
export const priceTypes = ['sold', 'ask', 'bid'] as const;

export type PriceType = (typeof priceTypes)[number];
