import { tag, tagSet, textNode } from '../../web/html/tape/html-tag.ts';
import { nameHint } from './name-hints.ts';
import { type Availability, availabilities, type Evidence } from './product.ts';
import { flag, type ProductPage, textOfNode } from './product-page.ts';
import type { StructuredProduct } from './structured-products.ts';

const byName = new Map(availabilities.map((name) => [name.toLowerCase(), name]));
const notForSale = new Set<Availability>(['OutOfStock', 'SoldOut', 'Discontinued', 'Reserved', 'BackOrder']);

/** Reads schema.org's terms, OpenGraph's, and shops' own variants. */
export function readAvailability(text: string): Availability | null {
  const word = text
    .slice(text.search(/[^/#]*\/?$/))
    .toLowerCase()
    .replace(/[^a-z]/g, '');
  const known = byName.get(word);
  if (known !== undefined) return known;
  if (/^(?:available|availablefororder|instocknow|onstock|true|yes|lowstock|instock\w*)$/.test(word))
    return 'InStock';
  if (/^(?:oos|outofstock\w*|notavailable|unavailable|soldout\w*|false|no)$/.test(word)) return 'OutOfStock';
  return null;
}

export function canBeBought(availability: Availability): boolean {
  return !notForSale.has(availability);
}

interface DecidedAvailability {
  readonly availability: Availability;
  readonly evidence: Evidence;
}

/** The declared availability (in stock if any variant is), else the visible one. */
export function decideAvailability(
  declared: readonly StructuredProduct[],
  shown: Evidence | null,
): DecidedAvailability | null {
  for (const { offers } of declared) {
    const known = offers.flatMap(({ availability: evidence }) => {
      const availability = evidence && readAvailability(evidence.text);
      return availability ? [{ availability, evidence }] : [];
    });
    const best = known.find(({ availability }) => canBeBought(availability)) ?? known[0];
    if (best !== undefined) return best;
  }
  if (shown === null) return null;
  return { availability: spoken(shown.text), evidence: shown };
}

function spoken(text: string): Availability {
  if (soldOutWords.test(text)) return 'OutOfStock';
  return preOrderWords.test(text) ? 'PreOrder' : 'InStock';
}

/** A notice inside these concerns a single size or colour. */
const variants = tagSet('option', 'select', 'li', 'label', 'td');
const longestNotice = 80;

/** The add-to-cart buttons. */
export function buyButtons({ tape, flags, names, values }: ProductPage): number[] {
  const buttons: number[] = [];
  for (let node = 0; node < tape.size && buttons.length < 20; node++) {
    const id = tape.tags[node] as number;
    const own = flags[node] as number;
    if (id !== tag.button && id !== tag.a && id !== tag.input && (own & flag.button) === 0) continue;
    if ((own & (flag.elsewhere | flag.disabled)) !== 0 || (tape.chars[node] as number) > longestNotice)
      continue;
    const shown = id === tag.input ? '' : textOfNode(tape, node, longestNotice);
    const text = shown === '' ? (values.get(node) ?? '') : shown;
    if (soldOutWords.test(text)) continue;
    if (buyWords.test(text) || ((names[node] as number) & nameHint.buy) !== 0) buttons.push(node);
  }
  return buttons;
}

/** The visible sign of stock: an add-to-cart button, else a notice, of which those that deny count more. */
export function visibleStock(page: ProductPage, buttons: readonly number[]): Evidence | null {
  const { tape, flags } = page;
  const button = buttons.find((node) => ((flags[node] as number) & flag.hidden) === 0);
  if (button !== undefined) {
    const text = textOfNode(tape, button, longestNotice) || page.values.get(button) || '';
    return { source: 'visible', path: 'buy button', text: text || 'InStock' };
  }
  let inStock: string | undefined;
  for (let node = 0; node < tape.size; node++) {
    if (tape.tags[node] !== textNode || (tape.chars[node] as number) > longestNotice) continue;
    if (((flags[node] as number) & (flag.elsewhere | flag.hidden)) !== 0) continue;
    const text = textOfNode(tape, node, longestNotice);
    if (soldOutWords.test(text) && !isOfVariant(page, node))
      return { source: 'visible', path: 'notice', text };
    const isOffer = inStock === undefined && ((flags[node] as number) & flag.linked) === 0;
    if (isOffer && (inStockWords.test(text) || preOrderWords.test(text)) && !isOfVariant(page, node))
      inStock = text;
  }
  return inStock === undefined ? null : { source: 'visible', path: 'notice', text: inStock };
}

function isOfVariant({ tape }: ProductPage, node: number): boolean {
  for (let at = node, steps = 0; at >= 0 && steps < 4; at = tape.parents[at] as number, steps++)
    if (variants[tape.tags[at] as number] === 1) return true;
  return false;
}

/** Labels of add-to-cart buttons in the languages of most shops. */
const buyWords =
  /\b(?:add (?:item )?to (?:my )?(?:shopping )?(?:cart|bag|basket|trolley|order)|add (?:both|all|selected)? ?to cart|buy (?:it )?now|buy$|order now|pre-?order|in den (?:waren|einkaufs)korb|jetzt kaufen|ajouter au panier|acheter|a[ñn]adir (?:al carrito|a la (?:cesta|bolsa))|agregar al carr(?:o|ito)|comprar|adicionar ao carrinho|aggiungi al carrello|acquista|in (?:de )?winkel(?:wagen|mand)|in mijn winkelwagen|bestellen|l[äa]gg i (?:varukorg|kundvagn)|k[öo]p|l[æa]g i (?:kurv|indk)|legg i handle|lis[äa]{2} ostoskoriin|dodaj do koszyka|do ko[šs][íi]k[ua]|vlo[žz]i[ťt]? do|kos[áa]rba|adaug[ăa] [îi]n co[șs]|sepete ekle)\b|в корзину|купить|до кошика|купити|в количката|カートに|加入购物车|加入購物車|立即购买|立即購買|장바구니|구매하기|ใส่ตะกร้า|thêm vào giỏ|أضف إلى|הוסף לסל/i;

const soldOutWords =
  /\b(?:out of stock|sold ?out|currently unavailable|no longer available|not available|temporarily unavailable|unavailable online|discontinued|ausverkauft|vergriffen|nicht (?:mehr )?(?:verf[üu]gbar|lieferbar|vorr[äa]tig|auf lager)|rupture de stock|[ée]puis[ée]|indisponible|agotado|sin (?:existencias|stock)|no disponible|esgotado|indispon[íi]vel|esaurito|non disponibile|uitverkocht|niet (?:op voorraad|leverbaar)|slut(?:s[åa]ld)? i lager|sluts[åa]ld|udsolgt|utsolgt|loppuunmyyty|wyprzedan[ey]|brak w magazynie|niedost[ęe]pny|vyprod[áa]no|nedostupn[éey]|vypredan[éey]|elfogyott|nincs k[ée]szleten|stoc epuizat|indisponibil|t[üu]kendi)\b|нет в наличии|распродано|немає в наявності|изчерпан|在庫切れ|売り切れ|缺货|缺貨|售罄|已售完|품절|สินค้าหมด|hết hàng|stok habis|غير متوفر|אזל מהמלאי/i;

/** Notices, so they begin the text. */
const inStockWords =
  /^\s*[✓✔•●]?\s*(?:(?:in stock|available (?:now|immediately)|ready to ship|auf lager|(?:sofort )?(?:lieferbar|verf[üu]gbar)|vorr[äa]tig|en stock|disponible|em estoque|dispon[íi]vel|disponibil(?:it[àa] immediata|e|e subito)?|in magazzino|op voorraad|i lager|p[åa] lager(?:et)?|varastossa|dost[ęe]pny|w magazynie|skladem|na sklad[ěe]|k[ée]szleten|[îi]n stoc|stokta(?: var)?|tersedia|stok tersedia|c[òo]n h[àa]ng)(?![\p{L}])|в наличии|є в наявності|在庫あり|有货|有貨|现货|現貨|재고 있음|มีสินค้า|متوفر|متاح|במלאי)/iu;

const preOrderWords =
  /^\s*(?:pre-?orders?|vorbestell|pr[ée]commande|precommander|reserva(?:r)? ahora|preordin|予約|预购|預購|예약)/iu;
