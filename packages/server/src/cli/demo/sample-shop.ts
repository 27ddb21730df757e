/** What guides and first tries visit and ask for prices. No page leads here, so a crawl of the site does not find it. */
export function sampleShop(path: string, asked: number): { type: string; body: string } | undefined {
  if (path === '/shop/kettle') return { type: 'text/html; charset=utf-8', body: kettlePage(asked) };
  if (path.startsWith('/shop/sales.json'))
    return { type: 'application/json', body: JSON.stringify({ sales }) };
  if (path === '/shop/list.txt') return { type: 'text/plain; charset=utf-8', body: list };
  return undefined;
}

/** Cheaper from the second time on, so that a change of price can be seen. */
function kettlePage(asked: number): string {
  const price = asked === 1 ? '39.90' : '34.90';
  const product = {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: 'Harbour kettle',
    offers: { '@type': 'Offer', price, priceCurrency: 'EUR', availability: 'https://schema.org/InStock' },
  };
  return `<!doctype html>
<html lang="en"><head><title>Harbour kettle</title><script type="application/ld+json">${JSON.stringify(product)}</script></head>
<body><main><h1>Harbour kettle</h1><p>Boils in any weather.</p><p>€ ${price}</p></main></body></html>`;
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
