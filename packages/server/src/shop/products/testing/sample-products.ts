/** Product pages as shops build them, shortened. */
export const structuredPage = (json: string, body = '') => `<!doctype html>
<html lang="en-GB"><head><title>Copper kettle | Pots & more</title>
<script type="application/ld+json">${json}</script></head>
<body><nav><a href="/kettles">Kettles from £9.99</a></nav><h1>Copper kettle</h1>${body}</body></html>`;

/** No structured data at all; a sale, carriage, instalments, and other products with prices of their own. */
export const plainShop = `<!doctype html><html lang="en"><head><title>Walnut desk lamp - Lumen & Co</title></head><body>
<header class="site-header"><a href="/">Lumen & Co</a> <span>Free delivery over $75</span>
<div class="mini-cart"><span class="price">$412.00</span></div></header>
<ul class="breadcrumbs"><li><a href="/lamps">Lamps</a></li></ul>
<main><div class="product-detail"><h1>Walnut desk lamp</h1><p class="item-number">Item no. WL-2040</p>
<div class="prices"><span class="price price--was"><s>$129.00</s></span>
<span class="price price--now"><span>$</span><span>98</span><sup>50</sup></span> <span class="saving">You save $30.50</span></div>
<p>or 4 payments of $24.63 a month</p><p>Shipping: $7.95</p>
<select><option>Oak - sold out</option><option>Walnut</option></select>
<button type="submit">Add to cart</button></div>
<section class="related-products"><h2>You may also like</h2>
<div class="product-tile"><a href="/p/2">Desk mat <span class="price">$15.00</span></a></div>
<div class="product-tile"><a href="/p/3">Bulb <span class="price">$4.00</span></a></div></section></main>
<footer>Gift cards from $10</footer></body></html>`;

export const soldOutShop = `<html lang="de"><head><title>Teekanne Luna – Küchenladen</title></head><body>
<h1>Teekanne Luna</h1><div class="preis">34,90 €</div><p class="lieferstatus">Leider ausverkauft</p>
<button disabled>In den Warenkorb</button><table><tr><td>EAN</td><td>4006381333931</td></tr><tr><th>Artikelnr.</th><td>TL-778</td></tr></table>
</body></html>`;
