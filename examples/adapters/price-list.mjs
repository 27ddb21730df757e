/*
 * An adapter of your own: a function that gets the item and returns listings. Put it into the folder that HOLDFAST_ADAPTERS
 * names, and tell a source of it:
 *
 *   holdfast sources set price-list --adapter module --hosts prices.example \
 *     --config '{"file": "price-list.mjs", "options": {"url": "https://prices.example/list.txt"}}'
 *
 * It runs in a thread of a runner, with a limit on its memory and its time. `fetch` waits for the source's leave and
 * throws on 429 and 5xx, which makes the job try again later.
 *
 * This one reads a list with a line for each price: `1881 S Morgan Dollar; 125.50; USD; sold`.
 */
export default async function collect(item, { fetch, options }) {
  const response = await fetch(options.url);
  if (!response.ok) throw new Error(`the price list answers ${response.status}`);
  const words = String(item.title ?? '')
    .toLowerCase()
    .split(/\s+/);
  return response
    .text()
    .split('\n')
    .map((line) => line.split(';').map((part) => part.trim()))
    .filter(([title = '', price]) => price && words.every((word) => title.toLowerCase().includes(word)))
    .map(([title, price, currency, price_type]) => ({ title, price, currency, price_type }));
}
