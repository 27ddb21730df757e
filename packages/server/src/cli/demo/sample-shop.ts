/** Products and price lists for the guides. No page links here, so a crawl of the site does not find them. */
export function sampleShop(path: string, asked: number): { type: string; body: string } | undefined {
  const product = products[path];
  if (product) return { type: 'text/html; charset=utf-8', body: productPage(product, asked) };
  if (path.startsWith('/shop/sales.json'))
    return { type: 'application/json', body: JSON.stringify({ sales }) };
  if (path === '/shop/list.txt') return { type: 'text/plain; charset=utf-8', body: list };
  return undefined;
}

interface Product {
  readonly name: string;
  readonly text: string;
  /** Cheaper from the second visit on, to show a price change. */
  readonly prices: readonly [first: string, later: string];
}

const products: Readonly<Record<string, Product>> = {
  '/shop/kettle': { name: 'Harbour kettle', text: 'Boils in any weather.', prices: ['39.90', '34.90'] },
  '/shop/lantern': { name: 'Storm lantern', text: 'Burns in any wind.', prices: ['24.50', '21.00'] },
};

function productPage({ name, text, prices: [first, later] }: Product, asked: number): string {
  const price = asked === 1 ? first : later;
  const product = {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name,
    offers: { '@type': 'Offer', price, priceCurrency: 'EUR', availability: 'https://schema.org/InStock' },
  };
  return `<!doctype html>
<html lang="en"><head><title>${name}</title><script type="application/ld+json">${JSON.stringify(product)}</script></head>
<body><main><h1>${name}</h1><p>${text}</p><p>€ ${price}</p></main></body></html>`;
}

const sales = ['118.00', '121.50', '125.00', '127.25', '131.00', '140.00'].map((amount, index) => ({
  id: `s${index + 1}`,
  name: '1881 S Morgan Dollar',
  price: { amount, currency: 'USD' },
  sold_at: `2026-0${index + 1}-15`,
}));

const list = `1881 S Morgan Dollar; 119.00; USD; sold
1881 S Morgan Dollar, toned; 129.50; USD; sold
1921 Peace Dollar; 160.00; USD; sold
`;
