import { describe, expect, test } from 'vitest';
import { extractPage } from '../extract-page.ts';
import { productPage } from '../testing/sample-pages.ts';

const microdata = (html: string) =>
  extractPage(html, 'https://example.com/a/', { markdown: false }).microdata;

describe('microdata', () => {
  test('gives items in items, with values from the attributes that hold them', () => {
    expect(microdata(productPage)).toEqual([
      {
        type: ['https://schema.org/Product'],
        properties: {
          name: ['Wasserkocher K2'],
          image: ['https://example.com/bilder/k2.jpg'],
          offers: [
            {
              type: ['https://schema.org/Offer'],
              properties: {
                price: ['39.90'],
                priceCurrency: ['EUR'],
                availability: ['https://schema.org/InStock'],
              },
            },
          ],
          description: [
            'Kocht 1,7 Liter in vier Minuten und schaltet sich danach von selbst ab.\n\n2200 Watt\nKabel 75 cm',
          ],
        },
      },
    ]);
  });

  test('follows itemref, to properties and to whole items, and not in circles', () => {
    expect(
      microdata(
        '<div itemscope itemref="x y"><b itemprop=a>1</b></div><p id=x>say <i itemprop="a b">2</i></p><div id=y itemprop=c itemscope itemref=y><b itemprop=d>3</b></div>',
      ),
    ).toEqual([{ properties: { a: ['1', '2'], b: ['2'], c: [{ properties: { d: ['3'] } }] } }]);
  });

  test('takes the text of an item without properties, and of a time without a date', () => {
    expect(microdata('<p itemscope itemtype="T" itemid="urn:1">x <b>y</b>.</p>')).toEqual([
      { type: ['T'], id: 'urn:1', value: 'x y.' },
    ]);
    expect(
      microdata(
        '<p itemscope><time itemprop=t>today</time><meta itemprop=m><data itemprop=d value=v>w</data></p>',
      ),
    ).toEqual([{ properties: { t: ['today'], m: [''], d: ['v'] } }]);
  });

  test('is nothing on a page without items', () => {
    expect(microdata('<p itemprop=a>x</p>')).toEqual([]);
  });
});
