/** What an element's names (class, id, test id, itemprop) say about its role on a product page. */
export const nameHint = {
  price: 1,
  /** The current price. */
  current: 2,
  /** A former or recommended price. */
  list: 4,
  /** An amount that is not the product's price: shipping, instalments, savings. */
  aside: 8,
  /** Other products, and parts that are the same on every page. */
  elsewhere: 16,
  title: 32,
  /** The box with the product's details. */
  product: 64,
  stock: 128,
  buy: 256,
  sku: 512,
  brand: 1_024,
} as const;

type Kind = keyof typeof nameHint;

/** Words between hyphens, underscores and camel-case humps; `*` matches any ending. */
const words: Readonly<Record<Kind, string>> = {
  price: 'price* prices* pricing prix preis* precio* preco* prezzo cena ceny cen tsena prijs pris kaina hinta pret ar cost amount money',
  current:
    'current now sale special final our actual selling sell buy buying promo promotion promotional discounted reduced deal active offer today new salesprice',
  list: 'old was before list regular rrp msrp srp strike striked strikethrough crossed cross original compare compareat retail previous past uvp pvp linethrough through basis recommended vorher statt market full',
  aside:
    'save saved saving savings discount* off percent coupon voucher cashback point points reward rewards loyalty shipping delivery postage freight tax vat unit per installment installments instalment instalments monthly month finance financing credit klarna afterpay deposit lease leasing subscription warranty protection insurance gift giftcard tradein grundpreis minimum limit threshold rating ratings review reviews quantity qty stock count lowest30 omnibus',
  elsewhere:
    'related recommend* recs similar upsell crosssell also recently viewed carousel sponsored accessory accessories complementary complements wishlist minicart header footer nav navigation menu megamenu navbar search autocomplete suggestion* newsletter cookie* tile tiles teaser ads advert* bundle bundles frequently bought together trending popular bestseller* compare comparison sidebar breadcrumb* topbar reco recos other others alternatives collection grid masthead',
  title: 'title name headline heading',
  product:
    'pdp buybox productdetail* productmain productinfo productpage productview purchase addtocart productsummary productessential',
  stock: 'stock availability available avail inventory disponibilidad disponibilite verfugbarkeit lagerbestand dostupnost',
  buy: 'addtocart addtobag addtobasket buynow addcart atc addbasket',
  sku: 'sku articlenumber itemnumber partnumber modelnumber reference productid productcode itemid artnr asin',
  brand: 'brand manufacturer marque marke vendor designer',
}; // biome-ignore format: lists of words

/** Pairs of words that mean something only together. */
const phrases: readonly (readonly [RegExp, number])[] = [
  [/cross-sell|up-sell|also-(?:bought|like|viewed)|(?:product|item)s?-(?:list|grid|tile|card|carousel|slider|box|teaser)|mini-(?:cart|basket|bag)|cart-(?:drawer|preview|summary|total)|recently|more-(?:from|like)|shop-the-look|complete-the|you-may|site-header|page-header/, nameHint.elsewhere],
  [/product-(?:detail|main|info|page|view|summary|essential|form|content|overview)|buy-box|product-buy|(?:pdp|prod)-(?:detail|main|info)|add-to-(?:cart|bag|basket)/, nameHint.product],
  [/add-to-(?:cart|bag|basket|trolley|order)|buy-now|in-den-warenkorb|add-cart/, nameHint.buy],
  [/item-(?:number|no|id|code)|product-(?:code|id|number|no)|art(?:icle)?-(?:nr|no|number)|model-(?:no|number)|catalog-(?:no|number)/, nameHint.sku],
  [/line-through|compare-at|cross(?:ed)?-out|price-(?:full|base|std|standard|normal)/, nameHint.list],
  [/price-per|per-(?:unit|month|piece)|unit-price|base-price|from-per/, nameHint.aside],
]; // biome-ignore format: a list of patterns

const exact = new Map<string, number>();
const prefixes: [string, number][] = [];
for (const [kind, list] of Object.entries(words))
  for (const word of list.split(' ')) {
    const bit = nameHint[kind as Kind];
    if (word.endsWith('*')) prefixes.push([word.slice(0, -1), bit]);
    else exact.set(word, (exact.get(word) ?? 0) | bit);
  }

/** States, not nouns. */
const state = /^(?:has|no|is|with|without|not|js|hide|show|lazy)-/;
const singleWord = /^[a-z0-9]+$/;
const maxCached = 20_000;
const cache = new Map<string, number>();

/** Cached, because names repeat within a page and across a site. */
export function nameHints(names: string): number {
  const known = cache.get(names);
  if (known !== undefined) return known;
  if (cache.size >= maxCached) cache.clear();
  const hints = readNames(names.slice(0, 400));
  cache.set(` ${names}`.slice(1), hints);
  return hints;
}

function readNames(names: string): number {
  if (singleWord.test(names)) return wordHints(names);
  let hints = 0;
  for (const name of names
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/\s+/)) {
    const noun = name.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
    if (noun === '' || state.test(noun)) continue;
    if (!noun.includes('-')) {
      hints |= wordHints(noun);
      continue;
    }
    for (const word of noun.split('-')) hints |= wordHints(word);
    for (const [pattern, bit] of phrases) if (pattern.test(noun)) hints |= bit;
  }
  return hints;
}

function wordHints(word: string): number {
  const bare = word.replace(/\d+$/, '');
  let hints = exact.get(bare) ?? 0;
  if (bare.length > 2) for (const [prefix, bit] of prefixes) if (bare.startsWith(prefix)) hints |= bit;
  if (bare.length > 5 && bare.endsWith('price'))
    hints |= nameHint.price | (exact.get(bare.slice(0, -5)) ?? 0);
  return hints;
}
