import { isHeading, tag, tagSet, textNode } from '../../web/html/tape/html-tag.ts';
import { compareDecimals, type Decimal, decimal } from '../prices/decimal.ts';
import { nameHint } from './name-hints.ts';
import { mayShowPrice, pricesAround, type ShownPrice } from './price-around.ts';
import { isListPrice, labelBefore, nearHints } from './price-context.ts';
import { asideWords, netWords, priceWords } from './price-words.ts';
import { flag, type ProductPage } from './product-page.ts';

/** A price that is visible on the page. */
export interface VisiblePrice {
  readonly amount: string;
  readonly currency: string | null;
  readonly currencyCodes: readonly string[];
  readonly text: string;
  readonly path: string;
  /** Struck through, or labelled as former or recommended. */
  readonly list: boolean;
  /** In one of several boxes for other products. */
  readonly inTile: boolean;
  readonly score: number;
}

const maxPrices = 2_000;
/** Most texts with digits to read: pages with more are tables of numbers. */
const maxTexts = 20_000;
const emphasis = tagSet('b', 'strong', 'big', 'em');

/** The weights of a score, tuned on pages of a hundred shops. None decides alone. */
const weight = {
  currency: 2,
  calledPrice: 3,
  calledCurrent: 1.5,
  labelled: 1,
  emphasised: 0.5,
  repeated: 0.5,
  calledAside: -3,
  asideText: -4,
  asideLabel: -2.5,
  net: -1.5,
  elsewhere: -7,
  linked: -3,
  hidden: -2,
  button: -0.5,
  zero: -6,
  beforeTitle: -1,
  /** For each doubling of the distance from the title or from an add-to-cart button. */
  fromTitle: -0.8,
  fromButton: -0.4,
};
/** The assumed distance if there is no button. */
const noButton = 20_000;

/** All visible prices, the likeliest price of the product first. */
export function visiblePrices(
  page: ProductPage,
  titleNode: number | null,
  buttons: readonly number[],
  region: string | null,
): VisiblePrice[] {
  const found = shownPrices(page, region);
  const offsets = textOffsets(page);
  const times = timesShown(page, found);
  const title = titleNode === null ? null : (offsets[titleNode] as number);
  const buttonsAt = buttons.map((button) => offsets[button] as number);
  const inTiles = pricesInTiles(page, found, titleNode);
  const prices = found
    .map(({ node, text, price: { amount, currency, currencyCodes } }) => {
      const label = labelBefore(page, node);
      const at = offsets[node] as number;
      const away = Math.min(noButton, ...buttonsAt.map((button) => Math.abs(button - at)));
      const score =
        (currencyCodes.length > 0 ? weight.currency : 0) +
        nameScore(nearHints(page, node)) +
        textScore(text, label) +
        flagScore(page.flags[node] as number) +
        (inTiles.has(node) ? weight.linked : 0) +
        (isEmphasised(page, node) ? weight.emphasised : 0) +
        (/^[0.]+$/.test(amount) ? weight.zero : 0) +
        weight.repeated * Math.min(3, (times.get(amount) ?? 1) - 1) +
        (title === null ? 0 : titleScore(at - title)) +
        weight.fromButton * doublings(away);
      const list = isListPrice(page, node, text, label);
      return {
        amount,
        currency,
        currencyCodes,
        text,
        path: pathOf(page, node),
        list,
        inTile: inTiles.has(node),
        score,
        at,
      };
    })
    .sort((a, b) => b.score - a.score);
  return markPairs(prices);
}

/** Of two prices side by side that differ only in the amount, the higher one is the old price. */
function markPairs(prices: (VisiblePrice & { at: number })[]): VisiblePrice[] {
  const asked = prices.filter(({ list }) => !list);
  const [first] = asked;
  if (first === undefined) return prices;
  const value = decimal(first.amount);
  for (const other of asked.slice(1, 6)) {
    if (first.score - other.score > 0.6 || Math.abs(first.at - other.at) > 60) continue;
    if (!mayShareCurrency(first, other)) continue;
    const [low, high] = [value, decimal(other.amount)].sort(compareDecimals) as [Decimal, Decimal];
    const isPair =
      compareDecimals(low, high) < 0 && compareDecimals(high, { ...low, units: low.units * 3n }) < 0;
    if (!isPair) continue;
    const old = high === value ? first : other;
    return prices.map((price) => (price === old ? { ...price, list: true } : price));
  }
  return prices;
}

function mayShareCurrency(
  { currencyCodes: one }: VisiblePrice,
  { currencyCodes: other }: VisiblePrice,
): boolean {
  return one.length === 0 || other.length === 0 || one.some((code) => other.includes(code));
}

function shownPrices(page: ProductPage, region: string | null): ShownPrice[] {
  const found: ShownPrice[] = [];
  const seen = new Set<number>();
  let texts = 0;
  for (let node = 0; node < page.tape.size && found.length < maxPrices && texts < maxTexts; node++) {
    if (!mayShowPrice(page, node)) continue;
    texts++;
    const shown = pricesAround(page, node, region).filter((price) => !seen.has(price.node));
    for (const price of shown) seen.add(price.node);
    found.push(...shown);
  }
  return found;
}

function nameScore(hints: number): number {
  const called = (hints & nameHint.price) !== 0;
  return (
    (called ? weight.calledPrice : 0) +
    (called && (hints & nameHint.current) !== 0 ? weight.calledCurrent : 0) +
    ((hints & nameHint.aside) !== 0 ? weight.calledAside : 0)
  );
}

function textScore(text: string, label: string): number {
  return (
    (asideWords.test(text) ? weight.asideText : asideWords.test(label) ? weight.asideLabel : 0) +
    (priceWords.test(label) ? weight.labelled : 0) +
    (netWords.test(text) ? weight.net : 0)
  );
}

function flagScore(flags: number): number {
  return (
    ((flags & flag.elsewhere) !== 0 ? weight.elsewhere : 0) +
    ((flags & flag.linked) !== 0 ? weight.linked : 0) +
    ((flags & flag.hidden) !== 0 ? weight.hidden : 0) +
    ((flags & flag.button) !== 0 ? weight.button : 0)
  );
}

function titleScore(distance: number): number {
  return weight.fromTitle * doublings(Math.abs(distance)) + (distance < 0 ? weight.beforeTitle : 0);
}

const doublings = (characters: number) => Math.log2(1 + characters / 100);

const longestTile = 200;
const nodesOfTile = 60;

/** Prices of other products: two or more boxes side by side, each with a link before its price. */
function pricesInTiles(page: ProductPage, found: readonly ShownPrice[], title: number | null): Set<number> {
  const { parents } = page.tape;
  const tiles = new Map<number, Map<number, number[]>>();
  for (const { node } of found) {
    const tile = tileAround(page, node, title);
    if (tile === null) continue;
    const row = tiles.get(parents[tile] as number) ?? new Map<number, number[]>();
    tiles.set(parents[tile] as number, row.set(tile, [...(row.get(tile) ?? []), node]));
  }
  const rows = [...tiles.values()].filter((row) => row.size > 1);
  return new Set(rows.flatMap((row) => [...row.values()].flat()));
}

/** The smallest box that has a link before the price. */
function tileAround({ tape }: ProductPage, price: number, title: number | null): number | null {
  const { parents, ends, chars } = tape;
  let box = price;
  for (let steps = 0; box >= 0 && steps < 6; steps++, box = parents[box] as number) {
    if ((chars[box] as number) > longestTile) return null;
    if (title !== null && box <= title && title < (ends[box] as number)) return null;
    const first = Math.max(box + 1, price - nodesOfTile);
    for (let at = first; at < (ends[price] as number); at++) if (isLinkToPage(tape, at)) return box;
  }
  return null;
}

function isLinkToPage({ tags, chars, details }: ProductPage['tape'], node: number): boolean {
  return tags[node] === tag.a && (chars[node] as number) > 2 && Boolean(details.get(node)?.href);
}

function isEmphasised({ tape }: ProductPage, node: number): boolean {
  for (let at = node, steps = 0; at >= 0 && steps < 4; at = tape.parents[at] as number, steps++)
    if (emphasis[tape.tags[at] as number] === 1 || isHeading[tape.tags[at] as number] === 1) return true;
  return false;
}

/** How often each amount is shown: the product's price is often repeated by buttons or in a sticky bar. */
function timesShown(page: ProductPage, prices: readonly ShownPrice[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const { node, price } of prices)
    if (((page.flags[node] as number) & (flag.elsewhere | flag.linked)) === 0)
      times.set(price.amount, (times.get(price.amount) ?? 0) + 1);
  return times;
}

/** The number of text characters before each node. */
function textOffsets({ tape }: ProductPage): Int32Array {
  const offsets = new Int32Array(tape.size);
  let read = 0;
  for (let node = 0; node < tape.size; node++) {
    offsets[node] = read;
    if (tape.tags[node] === textNode) read += tape.chars[node] as number;
  }
  return offsets;
}

/** The selector of the nearest named element. */
function pathOf({ tape, labels }: ProductPage, node: number): string {
  for (let at = node, steps = 0; at >= 0 && steps < 5; at = tape.parents[at] as number, steps++) {
    const label = labels.get(at);
    if (label !== undefined) return label;
  }
  return 'text';
}
