import { describe, expect, test } from 'vitest';
import { extractProduct } from './extract-product.ts';

/** What a shop of each language writes around a price: the old one, instalments, a unit price, carriage, a saving. */
const shops = [
  ['en-GB', '£49.90', 'RRP £69.90', 'or 3 payments of £16.63', '£4.99 per 100g', 'Free delivery over £40', 'Save £20.00', 'Add to basket', 'GBP'],
  ['en-US', '$49.90', 'List Price: $69.90', '4 interest-free installments of $12.48', '($0.42 / oz)', 'Free shipping on orders over $35', 'You save: $20.00', 'Add to Cart', 'USD'],
  ['de', '49,90 €', 'Niedrigster Preis der letzten 30 Tage: 69,90 €', '12 Raten à 4,50 € mtl.', '4,99 € / 100 g', 'zzgl. 4,95 € Versand', 'Sie sparen 20,00 €', 'In den Warenkorb', 'EUR'],
  ['fr', '49,90 €', 'Ancien prix 69,90 €', 'ou 4x 12,48 € sans frais', '4,99 € / kg', 'Livraison 5,90 €', 'Vous économisez 20,00 €', 'Ajouter au panier', 'EUR'],
  ['es', '49,90 €', 'Precio anterior: 69,90 €', 'o 3 cuotas de 16,63 €', '4,99 €/kg', 'Envío 3,99 €', 'Ahorras 20,00 €', 'Añadir al carrito', 'EUR'],
  ['it', '49,90 €', 'Prezzo consigliato 69,90 €', 'o 3 rate da 16,63 €', '4,99 €/kg', 'Spedizione 6,90 €', 'Risparmi 20,00 €', 'Aggiungi al carrello', 'EUR'],
  ['pt-BR', 'R$ 49,90', 'De: R$ 69,90', 'em até 10x de R$ 6,99 sem juros', 'R$ 4,99/kg', 'Frete R$ 12,00', 'Economize R$ 20,00', 'Comprar', 'BRL'],
  ['nl', '€ 49,90', 'Adviesprijs € 69,90', 'of 3x € 16,63', '€ 4,99 per kg', 'Verzendkosten € 4,95', 'Je bespaart € 20,00', 'In winkelwagen', 'EUR'],
  ['pl', '49,90 zł', 'Najniższa cena z 30 dni: 69,90 zł', 'lub 10 rat po 5,90 zł', '4,99 zł / 100 g', 'Dostawa od 9,99 zł', 'Oszczędzasz 20,00 zł', 'Dodaj do koszyka', 'PLN'],
  ['sv', '49,90 kr', 'Tidigare 69,90 kr', 'Delbetala från 5 kr/mån', '4,90 kr/kg', 'Frakt 9 kr', 'Spara 20 kr', 'Lägg i varukorgen', 'SEK'],
  ['da', '49,90 kr.', 'Førpris 69,90 kr.', '12 mdr. á 5,00 kr.', '4,90 kr./kg', 'Fragt 9,00 kr.', 'Spar 20,00 kr.', 'Læg i kurv', 'DKK'],
  ['fi', '49,90 €', 'Ovh. 69,90 €', 'tai 5,50 €/kk', '4,99 €/kg', 'Toimitus 5,90 €', 'Säästät 20,00 €', 'Lisää ostoskoriin', 'EUR'],
  ['cs', '49,90 Kč', 'Původní cena 69,90 Kč', 'nebo 10 splátek po 5,90 Kč', '4,90 Kč / kg', 'Doprava od 7 Kč', 'Ušetříte 20 Kč', 'Do košíku', 'CZK'],
  ['hu', '49,90 Ft', 'Régi ár: 69,90 Ft', 'vagy 10 részlet 5,90 Ft', '4,90 Ft/kg', 'Szállítás 9 Ft', 'Megtakarítás 20 Ft', 'Kosárba', 'HUF'],
  ['ro', '49,90 lei', 'Preț vechi 69,90 lei', 'sau 12 rate de 5,83 lei', '4,99 lei/kg', 'Livrare 9,99 lei', 'Economisești 20,00 lei', 'Adaugă în coș', 'RON'],
  ['ru', '49,90 ₽', 'Старая цена 69,90 ₽', 'или 4,16 ₽ в месяц', '4,99 ₽ за кг', 'Доставка 3 ₽', 'Экономия 20 ₽', 'В корзину', 'RUB'],
  ['uk', '49,90 ₴', 'Стара ціна 69,90 ₴', 'або 10 платежів по 5 ₴', '4,90 ₴ / кг', 'Доставка 8 ₴', 'Економія 20 ₴', 'Купити', 'UAH'],
  ['tr', '49,90 TL', 'Eski fiyat 69,90 TL', '6 taksitle 9,98 TL', '4,99 TL/kg', 'Kargo 9,90 TL', 'Kazancınız 20,00 TL', 'Sepete Ekle', 'TRY'],
  ['ar-SA', '49.90 ر.س', 'السعر قبل الخصم 69.90 ر.س', 'أو 4 دفعات 12.75 ر.س', '4.90 ر.س / كجم', 'رسوم التوصيل 5.00 ر.س', 'وفر 20.00 ر.س', 'أضف إلى السلة', 'SAR'],
  ['ja', '4,990円', '通常価格 6,990円', '月々 415円', '100gあたり 498円', '送料 550円', '2,000円OFF', 'カートに入れる', 'JPY'],
  ['zh-CN', '¥49.90', '划线价 ¥69.90', '分期 ¥4.58 x 12期', '¥4.90/千克', '运费 ¥1.00', '立省 ¥20.00', '加入购物车', 'CNY'],
  ['ko', '4,990원', '정상가 6,990원', '월 4,158원 (12개월)', '100g당 499원', '배송비 3,000원', '2,000원 할인', '장바구니', 'KRW'],
  ['id', 'Rp4.990', 'Harga normal Rp6.990', 'Cicilan Rp415/bulan', 'Rp499 / kg', 'Ongkir Rp1.500', 'Hemat Rp2.000', 'Masukkan Keranjang', 'IDR'],
  ['vi', '4.990₫', 'Giá niêm yết: 6.990₫', 'Trả góp 415₫/tháng', '499₫/kg', 'Phí vận chuyển 300₫', 'Tiết kiệm 2.000₫', 'Thêm vào giỏ', 'VND'],
] as const; // biome-ignore format: a table

/** Names of classes tell nothing, as in the output of CSS compilers. */
const line = (text: string) => `<div class="css-1x9f">${text}</div>`;

const page = (lang: string, prices: string, around: readonly string[], buy: string) =>
  `<html lang="${lang}"><head><title>Kettle One</title></head><body><nav><a href="/k">Kettles</a></nav>
  <div><h1>Kettle One</h1><div>${prices}${around.map(line).join('')}<button>${buy}</button></div></div></body></html>`;

const digits = (text: string) =>
  Number(
    text
      .replace(/[^\d.,]/g, '')
      .replace(/^[.,]+|[.,]+$/g, '')
      .replace(/,(?=\d\d$)/, '.')
      .replace(/[.,](?=\d{3}$)/, ''),
  );

describe.each(shops)('a shop in %s', (lang, now, old, instalment, unit, carriage, saving, buy, currency) => {
  const around = [instalment, unit, carriage, saving];
  const read = (prices: string) => {
    const {
      price,
      listPrice,
      currency: read,
    } = extractProduct(page(lang, prices, around, buy), 'https://shop.example/k');
    return { price: Number(price), listPrice: listPrice && Number(listPrice), currency: read };
  };
  const price = digits(now);
  const listPrice = digits(old.replace(/30/, ''));

  test.each([
    ['before', line(old) + line(now)],
    ['behind', line(now) + line(old)],
  ])('tells its price from the old one %s it, and from what stands around', (_, prices) => {
    expect(read(prices)).toEqual({ price, listPrice, currency });
  });

  test('has no list price if there is none', () => {
    expect(read(line(now))).toEqual({ price, listPrice: null, currency });
  });
});

test.each([
  ['en', 'Was £69.90, now only £49.90!'],
  ['de', 'Statt 69,90 € jetzt nur 49,90 €'],
  ['es', 'Antes 69,90 € Ahora 49,90 €'],
  ['pt-BR', 'De: R$ 69,90 Por: R$ 49,90'],
  ['nl', 'Van € 69,90 voor € 49,90'],
])('two prices in a line, in %s: %s', (lang, text) => {
  expect(extractProduct(page(lang, line(text), [], 'Comprar'), 'https://shop.example/k')).toMatchObject({
    price: '49.90',
    listPrice: '69.90',
  });
});

test.each([
  ['a range', '£49.90 – £89.90'],
  ['a lowest price', 'From £49.90'],
  ['prices with and without tax', '£41.58 ex VAT / £49.90 inc VAT'],
])('%s is one price', (_, text) => {
  expect(extractProduct(page('en', line(text), [], 'Buy now'), 'https://shop.example/k')).toMatchObject({
    price: '49.90',
    listPrice: null,
  });
});

/** Boxes of other products whose prices stand beside their links, not in them. */
const others = `<section>${['Mug', 'Jug'].map((name) => `<div><a href="/${name}">${name} of glass</a><b>7,77 €</b></div>`).join('')}</section>`;

test.each([
  ['de', 'ab 24,95 €', '24.95', 'EUR'],
  ['en-US', 'List: <s>$24.95</s>', '24.95', 'USD'],
  ['en-US', 'Price range: $24.95 through $45.00', '24.95', 'USD'],
  ['en-GB', '£24.95 (£2.50 per 100ml)', '24.95', 'GBP'],
  ['sv', '249:-', '249', 'SEK'],
  ['vi', '1.290.000đ', '1290000', 'VND'],
])('the price is never that of another product, in %s: %s', (lang, text, price, currency) => {
  expect(
    extractProduct(
      page(lang, `${line(text)}</div></div>${others}<div><div>`, [], 'Details'),
      'https://shop.example/k',
    ),
  ).toMatchObject({ price, currency });
});

test.each([
  ['In stock', 'InStock'], ['Sofort lieferbar', 'InStock'], ['En stock', 'InStock'], ['Disponibile', 'InStock'], ['Op voorraad', 'InStock'],
  ['I lager', 'InStock'], ['Skladem', 'InStock'], ['Stokta var', 'InStock'], ['В наличии', 'InStock'], ['在庫あり', 'InStock'], ['有货', 'InStock'],
  ['متوفر', 'InStock'], ['Còn hàng', 'InStock'], ['Pre-order now', 'PreOrder'], ['Stok habis', 'OutOfStock'], ['Not in stock yet', null],
])('the notice "%s" tells the stock of a page without a button', (notice, availability) => {
  expect(extractProduct(page('en', line(notice), [], 'Details'), 'https://shop.example/k').availability).toBe(availability);
}); // biome-ignore format: a table
