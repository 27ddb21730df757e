import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { productPage } from '../../web/html/testing/sample-pages.ts';
import { extractProduct } from './extract-product.ts';
import { plainShop, soldOutShop, structuredPage } from './testing/sample-products.ts';

const url = 'https://shop.example/p/kettle';
const read = (html: string, at = url) => extractProduct(html, at);
const ofJson = (product: object, body?: string) =>
  read(structuredPage(JSON.stringify({ '@context': 'https://schema.org', ...product }), body));
const offer = {
  '@type': 'Offer',
  price: '49.90',
  priceCurrency: 'GBP',
  availability: 'https://schema.org/InStock',
};
const kettle = { '@type': 'Product', name: 'Copper kettle', offers: offer };

describe('JSON-LD', () => {
  test('gives every field, with where it stood', () => {
    const product = ofJson({
      ...kettle,
      sku: 'K-12',
      gtin13: '4006381333931',
      brand: { '@type': 'Brand', name: 'Calder' },
      image: ['/img/kettle.jpg', '/img/side.jpg'],
    });
    expect(product).toMatchObject({
      title: 'Copper kettle',
      price: '49.90',
      currency: 'GBP',
      listPrice: null,
      availability: 'InStock',
      inStock: true,
      sku: 'K-12',
      gtin: '4006381333931',
      brand: 'Calder',
      image: 'https://shop.example/img/kettle.jpg',
    });
    expect(product.evidence.price).toEqual({ source: 'json-ld', path: 'offers.price', text: '49.90' });
    expect(product.evidence.availability?.text).toBe('https://schema.org/InStock');
  });

  test('keeps the digits of a number that a float would change', () => {
    const json =
      '{"@type":"Product","name":"Copper kettle","offers":{"price":1234567890123456.78,"priceCurrency":"USD"}}';
    expect(read(structuredPage(json)).price).toBe('1234567890123456.78');
    expect(read(structuredPage(json.replace('1234567890123456.78', '19.90'))).price).toBe('19.90');
  });

  test.each([
    ['in a graph', { '@graph': [{ '@type': 'WebPage' }, kettle] }],
    ['nested', { '@type': 'WebPage', mainEntity: { '@type': 'Thing', about: [kettle] } }],
    ['by reference', { '@graph': [{ ...kettle, offers: { '@id': '#o' } }, { '@id': '#o', ...offer }] }],
    ['with a type of its own spelling', { ...kettle, '@type': 'http://schema.org/product' }],
    ['with an aggregate of offers', { ...kettle, offers: { '@type': 'AggregateOffer', lowPrice: 49.9, highPrice: 80, priceCurrency: 'GBP', availability: 'InStock' } }],
    ['with offers in an aggregate', { ...kettle, offers: { '@type': 'AggregateOffer', offers: [offer] } }],
    ['with a price specification', { ...kettle, offers: { availability: 'InStock', priceSpecification: { price: 49.9, priceCurrency: 'GBP' } } }],
    ['as a group of variants', { '@type': 'ProductGroup', name: 'Copper kettle', hasVariant: [{ '@type': 'Product', name: 'Copper kettle 1 l', offers: { ...offer, availability: 'SoldOut' } }, kettle] }],
    ['as products for each size', { '@graph': [{ ...kettle, sku: '1', offers: { ...offer, availability: 'OutOfStock' } }, { ...kettle, sku: '2' }] }],
    ['among related ones', { '@graph': [{ '@type': 'ItemList', itemListElement: [{ '@type': 'Product', name: 'Pan', offers: { ...offer, price: 5 } }] }, { ...kettle, isRelatedTo: [{ '@type': 'Product', name: 'Copper kettle lid', offers: { ...offer, price: 7 } }] }] }],
  ])('is found %s', (_name, graph) => {
    const { price, currency, inStock } = ofJson(graph);
    expect({ price: Number(price), currency, inStock }).toEqual({ price: 49.9, currency: 'GBP', inStock: true });
  }); // biome-ignore format: a table

  test('is repaired where it is broken', () => {
    const broken = `{"@type":"Product", // the kettle
      "name":"Copper kettle","offers":{"price":"49.90","priceCurrency":"GBP",},}`;
    expect(read(structuredPage(broken)).price).toBe('49.90');
  });

  test('of several variants gives the price that the page shows', () => {
    const offers = ['59.00', '49.90', '79.00'].map((price) => ({ ...offer, price }));
    expect(ofJson({ ...kettle, offers }, '<p class="price">£49.90</p>').price).toBe('49.90');
    expect(ofJson({ ...kettle, offers }).price).toBe('59.00');
  });

  test('gives way to a lower price beside it that strikes it through', () => {
    const product = ofJson(
      kettle,
      '<p class="price"><del>£49.90</del> <ins class="sale-price">£39.90</ins></p><button>Add to basket</button>',
    );
    expect(product).toMatchObject({ price: '39.90', listPrice: '49.90', currency: 'GBP' });
    expect(product.evidence.price?.source).toBe('visible');
  });

  test('that says nothing or zero is no price', () => {
    expect(ofJson({ ...kettle, offers: { price: 0, priceCurrency: 'GBP' } }).price).toBeNull();
    expect(ofJson({ ...kettle, offers: { price: '', priceCurrency: 'GBP' } }).price).toBeNull();
    expect(ofJson({ ...kettle, offers: { price: 'on request' } }).price).toBeNull();
  });

  test.each([
    ['of a group', { '@type': 'ProductGroup', name: 'Copper kettle', productGroupID: 'KG-10', hasVariant: [{ sku: 'KG-10-R', offers: offer }, { sku: 'KG-10-B', offers: offer }] }, 'KG-10', null],
    ['of a group of one', { '@type': 'ProductGroup', name: 'Copper kettle', productGroupID: 'KG-10', hasVariant: [{ sku: 'KG-10-R', gtin13: '4006381333931', offers: offer }] }, 'KG-10-R', '4006381333931'],
    ['of an offer', { ...kettle, offers: { ...offer, sku: 'KO-11', gtin13: '4006381333931' } }, 'KO-11', '4006381333931'],
    ['of what is offered', { ...offer, itemOffered: { '@type': 'Product', name: 'Copper kettle', sku: 'KI-12', gtin: '4006381333931' } }, 'KI-12', '4006381333931'],
  ])('has the codes %s', (_, product, sku, gtin) => {
    expect(ofJson(product)).toMatchObject({ sku, gtin, price: '49.90' });
  }); // biome-ignore format: a table

  test('takes no price of a measure or of members from specifications', () => {
    const priceSpecification = [
      { price: 4.99, referenceQuantity: { value: 100, unitCode: 'GRM' } },
      { price: 39.9, validForMemberTier: { '@type': 'MemberProgramTier' } },
      { price: 49.9 },
    ];
    expect(ofJson({ ...kettle, offers: { priceCurrency: 'GBP', priceSpecification } }).price).toBe('49.9');
  });

  test('gives way to the number that the shop shows its customers', () => {
    const product = ofJson({ ...kettle, sku: '237972452' }, '<p>Product code: 64981901</p>');
    expect(product).toMatchObject({ sku: '64981901', evidence: { sku: { source: 'visible' } } });
    expect(ofJson({ ...kettle, sku: '237972452' }, '<p class="sku">64981901</p>').sku).toBe('237972452');
  });

  test('takes a list price from a specification that says so', () => {
    const priceSpecification = [{ price: 80, priceType: 'https://schema.org/ListPrice' }, { price: 49.9 }];
    expect(ofJson({ ...kettle, offers: { priceCurrency: 'GBP', priceSpecification } })).toMatchObject({
      price: '49.9',
      listPrice: '80',
    });
  });

  test.each([
    ['https://schema.org/InStock', true],
    ['http://schema.org/OutOfStock', false],
    ['in stock', true],
    ['SoldOut', false],
    ['PreOrder', true],
    ['whatever', null],
  ])('reads the availability %s as %s', (availability, inStock) => {
    expect(ofJson({ ...kettle, offers: { ...offer, availability } }).inStock).toBe(inStock);
  });
});

describe('microdata', () => {
  test('gives the fields of a product', () => {
    const product = read(productPage, 'https://kueche.example/k2');
    expect(product).toMatchObject({
      title: 'Wasserkocher K2',
      price: '39.90',
      currency: 'EUR',
      inStock: true,
    });
    expect(product.evidence.price?.source).toBe('microdata');
  });

  test('of other products alone is not the price of this one', () => {
    const tile = (name: string, price: string) =>
      `<div itemscope itemtype="https://schema.org/Product"><b itemprop=name>${name}</b><i itemprop=offers itemscope><b itemprop=price>${price}</b></i></div>`;
    const html = `<title>Copper kettle</title><h1>Copper kettle</h1><div class=related>${tile('Tea towel', '5.00')}${tile('Mug', '7.00')}</div>`;
    expect(read(html).price).toBeNull();
    expect(read(html + tile('Copper kettle', '49.90')).price).toBe('49.90');
  });

  test('counts without an item around it', () => {
    const product = read(
      '<h1>Bowl</h1><span itemprop="price" content="12.50">12,50</span><meta itemprop="priceCurrency" content="EUR">',
    );
    expect(product).toMatchObject({ price: '12.50', currency: 'EUR' });
    expect(product.evidence.price?.source).toBe('microdata');
  });
});

describe('RDFa', () => {
  test('gives the fields of a product', () => {
    const product =
      read(`<div vocab="https://schema.org/" typeof="Product"><h1 property="name">Copper kettle</h1>
      <span property="sku">RD-90</span><meta property="gtin13" content="4006381333931"><img property="image" src="k.jpg">
      <div property="offers" typeof="Offer"><span property="priceCurrency" content="EUR">€</span><span property="price"
      content="49.90">49,90</span><link property="availability" href="https://schema.org/OutOfStock"></div></div>`);
    expect(product).toMatchObject({
      title: 'Copper kettle', price: '49.90', currency: 'EUR', sku: 'RD-90', gtin: '4006381333931', inStock: false, image: 'https://shop.example/p/k.jpg',
    }); // biome-ignore format: a list of fields
    expect(product.evidence.price).toEqual({ source: 'rdfa', path: 'offers.price', text: '49.90' });
  });

  test('may have prefixes, and statements around what they state', () => {
    expect(
      read(`<div typeof="schema:Product"><b property="schema:name">Copper kettle</b><div rel="schema:offers"><div typeof="schema:Offer">
        <b property="schema:price">49.90</b><meta property="schema:priceCurrency" content="GBP"></div></div></div>`),
    ).toMatchObject({ price: '49.90', currency: 'GBP' });
  });
});

test('OpenGraph may stand in the wrong attribute', () => {
  expect(
    read(
      '<meta name="product:price:amount" content="49.90"><meta name="product:price:currency" content="EUR">',
    ),
  ).toMatchObject({ price: '49.90', currency: 'EUR' });
});

test('OpenGraph gives what the others do not', () => {
  const product =
    read(`<meta property="og:title" content="Bowl"><meta property="product:price:amount" content="12.5000">
    <meta property="product:price:currency" content="EUR"><meta property="product:availability" content="instock">
    <meta property="og:image" content="/bowl.jpg"><meta property="product:brand" content="Calder">`);
  expect(product).toMatchObject({
    title: 'Bowl',
    price: '12.50',
    currency: 'EUR',
    inStock: true,
    brand: 'Calder',
  });
  expect(product.image).toBe('https://shop.example/bowl.jpg');
  expect(product.evidence.price).toEqual({
    source: 'opengraph',
    path: 'product:price:amount',
    text: '12.5000',
  });
});

describe('what a page shows', () => {
  test('gives price, list price and stock, and not what stands around them', () => {
    const product = read(plainShop, 'https://lumen.example/p/lamp');
    expect(product).toMatchObject({
      title: 'Walnut desk lamp',
      price: '98.50',
      listPrice: '129.00',
      currency: 'USD',
      inStock: true,
      sku: 'WL-2040',
    });
    expect(product.evidence.price).toEqual({ source: 'visible', path: '.price', text: '$98 50' });
  });

  test('tells when it is sold out', () => {
    expect(read(soldOutShop, 'https://kueche.example/luna')).toMatchObject({
      price: '34.90',
      currency: 'EUR',
      availability: 'OutOfStock',
      inStock: false,
      gtin: '4006381333931',
      sku: 'TL-778',
    });
  });

  test('in another region has another dollar', () => {
    const html = '<html lang="en"><h1>Bowl</h1><p class=price>$12.00</p>';
    expect(read(html, 'https://shop.example/bowl').currency).toBe('USD');
    expect(read(html, 'https://shop.com.au/bowl').currency).toBe('AUD');
    expect(read(html, 'https://shop.example/en-nz/bowl').currency).toBe('NZD');
    expect(
      read('<html lang="zh-TW"><h1>碗</h1><p class=price>$120</p>', 'https://shop.example/b').currency,
    ).toBe('TWD');
  });

  test('is the price that is struck through, if there is no other of this product', () => {
    const others = '<section><h2>Others</h2><div><a href="/p/2">Cup <b>$12.00</b></a></div></section>';
    expect(read(`<h1>Bowl</h1><p><del>$69.90</del></p><button>Add to cart</button>${others}`)).toMatchObject({
      price: '69.90',
      listPrice: null,
    });
  });

  test('is no price where only other products have one', () => {
    const html = plainShop.replace(
      /<div class="prices">.*?<button type="submit">Add to cart<\/button>/s,
      '<p>Currently unavailable.</p>',
    );
    expect(read(html)).toMatchObject({ price: null, currency: null, inStock: false });
  });
});

test('a page without a product gives nothing, and nothing is made up', () => {
  expect(read('')).toEqual({
    title: null, price: null, currency: null, listPrice: null, availability: null, inStock: null, sku: null, gtin: null, brand: null, image: null, evidence: {},
  }); // biome-ignore format: a list of fields
  expect(
    read('<h1>Opening hours</h1><p>Monday 9 to 17, call 0800 123456. Founded 1987.</p>').price,
  ).toBeNull();
});

describe('any input', () => {
  const pieces = [
    '<div class="price">', '<span class=old-price>', '</div>', '</span>', '$', '€', '19', '.', ',', '99', ' ', 'was', '<del>', '</del>', '<h1>', '</h1>', 'Kettle',
    '<script type="application/ld+json">', '{"@type":"Product","offers":', '{"price":', '1.5', '"x"', '}', ']', '[', '</script>', '<div itemscope itemtype=Product>',
    '<b itemprop=price>', '<meta property="product:price:amount" content="', '">', '<div typeof=Product>', '<b property=price typeof=Offer>', '<i rel=offers>', '<button>', 'Add to cart', 'sold out', '&euro;', '\0', '\ud800', '<a href=/x>', '-50%',
  ]; // biome-ignore format: a list of pieces

  test('is read without an error, into decimals, codes and strings that the database can store', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 80 }), (parts) => {
        const product = read(parts.join(''), parts[0] ?? '');
        for (const amount of [product.price, product.listPrice])
          if (amount !== null) expect(amount).toMatch(/^\d+(?:\.\d+)?$/);
        if (product.currency !== null) expect(product.currency).toMatch(/^[A-Z]{3}$/);
        const json = JSON.stringify(product);
        expect(json).not.toContain('\\u0000');
        expect(json.isWellFormed() && !/\\ud[89a-f]/i.test(json)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  const fill = (piece: (i: number) => string) => {
    const parts: string[] = [];
    for (let length = 0, i = 0; length < 2_000_000; i++)
      length += parts.push(piece(i)) && (parts.at(-1)?.length ?? 1);
    return parts.join('');
  };
  test.each([
    ['prices', fill((i) => `<div class="price x${i}">$1.${i}</div>`)],
    ['prices in prices', fill(() => '<span class=price>$5<i>')],
    ['numbers', fill(() => '<b>1</b>')],
    ['empty elements around a price', `${'<div>'.repeat(250)}${'<i></i>'.repeat(250_000)}$5`],
    ['names', fill((i) => `<a class=a-${i.toString(36)}-b>`)],
    ['headings', fill((i) => `<h1>a b ${i}</h1>`)],
    [
      'offers',
      `<script type="application/ld+json">{"@type":"Product","offers":[${'{"price":1.5},'.repeat(70_000)}{}]}</script>`,
    ],
    [
      'products',
      fill(
        (i) =>
          `<script type="application/ld+json">{"@type":"Product","name":"${i}","offers":{"price":${i}}}</script>`,
      ),
    ],
    ['escapes', `<script type="application/ld+json">{"a":"${'\\"'.repeat(500_000)}</script>`],
    ['statements', fill((i) => `<div typeof=Product><b property="price offers">${i}`)],
    ['items', fill((i) => `<div itemscope itemtype=Product><b itemprop=price>${i}</b></div>`)],
    ['digits', `<p>${'1'.repeat(2_000_000)}`],
    ['spaces in a price', `<p>$${' '.repeat(2_000_000)}5`],
  ])('of two megabytes takes less than a second: %s', (_name, html) => {
    const before = process.cpuUsage();
    read(html);
    const { user, system } = process.cpuUsage(before);
    // Twice as much is allowed where others use the machine as well: quadratic time would be minutes.
    expect((user + system) / 1e6).toBeLessThan(2);
  });
});
