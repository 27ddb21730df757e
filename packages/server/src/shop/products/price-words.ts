/** JavaScript's `\b` knows ASCII letters only. Words may follow scripts that set no spaces: `2,000円OFF`. */
const letters =
  '\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{Script=Arabic}\\p{Script=Hebrew}\\p{N}';
const wordStart = `(?<![${letters}])`;
const wordEnd = `(?![${letters}])`;
const startingWith = (...words: string[]) => `${wordStart}(?:${words.join('|')})`;
const whole = (...words: string[]) => `${wordStart}(?:${words.join('|')})${wordEnd}`;

const unit =
  '(?:\\d+ ?)?(?:g|gr|kg|ml|cl|dl|l|oz|lb|lbs|m|m²|m2|sq|ft|st|stk|stück|szt|ks|unit|piece|кг|г|мл|л|шт|كجم|كغ|千克|公斤|斤|克|kilo|litre|liter|litro|litr)';
const month =
  '(?:mo|mon|month|monat|mois|mes|mês|mese|maand|mån|mnd|md|mdr|kk|měs|mies|hó|lună|мес|міс|ay|bulan|tháng|月|월|شهر)';

const asideParts = [
  // What is saved.
  whole('sav(?:e|es|ing|ings)', 'off', 'spar(?:en|st|t|a|er)?', 'skonto', 'hemat', 'وفر', 'توفير'),
  startingWith(
    '[ée]conom', 'ahorr', 'risparmi', 'bespaar', 'oszcz[ęe]d', 'u[šs]et[řr]', 'эконом', 'економ', 'kazan[cç]', 'megtakar', 'säästä', 'poupe', 'tiết kiệm', 'κερδίζ',
  ),
  '立省|节省|節省|お得|割引|할인|절약|חסכ|ประหยัด',
  // Carriage.
  whole('p&p', 'kargo', 'ongkir', 'ongkos', 'import (?:fees|charges)'),
  startingWith(
    'shipping', 'deliver', 'postage', 'freight', 'versand', 'liefer', 'livraison', 'env[íi]os?', 'frete', 'spedizione', 'verzend', 'bezorg', 'frakt', 'fragt', 'dostaw', 'doprav', 'szállít',
    'доставк', 'livrare', 'toimitus', 'vận chuyển', 'phí', 'αποστολ', 'μεταφορ', 'شحن', 'التوصيل', 'توصيل', 'משלוח',
  ),
  '送料|运费|運費|邮费|배송|ค่าส่ง|ค่าจัดส่ง',
  // Parts of the price.
  whole(
    'emi', 'rat', 'rate', 'raten?', 'raty', 'cuotas?', 'parcelas?', 'mensualit[ée]s?', 'instal?lments?', 'monthly', 'monatlich', 'mtl', 'delbetala', 'cicilan', 'taksit\\p{L}*', 'spl[áa]t\\p{L}*', 'r[ée]szlet\\p{L}*',
    'deposit', 'a month', `(?:per|pro|par|por|al|в|на|per) ${month}`,
  ),
  startingWith('рассроч', 'платеж', 'платіж', 'оплат', 'trả góp', 'δόσ', 'قسط', 'أقساط', 'دفعات', 'תשלומ'),
  `[/.] ?${month}(?![\\p{L}])`, 'в месяц|на місяць|月々|分割|分期|할부|월 ?\\p{Sc}?\\d|ผ่อน',
  `${wordStart}\\d{1,2} ?[x×] (?:(?:de|à|a|von|van|po|da) )?(?:\\p{Sc}|R\\$|\\d)`,
  // Prices of a measure.
  whole(`(?:per|pro|par|por|za|за|je|al|a|the) ${unit}`), `/ ?${unit}${wordEnd}`, 'あたり|당 ?\\d|\\d ?(?:g|kg|ml|l)당', 'per (?:week|day|100|1)',
  // Thresholds and what is given for them.
  `${wordStart}(?:over|above|acima de|starts? at) \\p{Sc}?\\d`, `(?<=\\p{L} )(?<!(?:preis|prix|precio|preço|prezzo|pris|cena|цена|ціна|harga) )(?:ab|dès|desde|fra|från|od|от|від|mulai) \\p{Sc}?\\d`, whole('orders? (?:over|of)', 'points?', 'cash ?back', 'coupon', 'voucher', 'gift', 'reviews?', 'trade-?in', 'insurance', 'warranty'),
  startingWith('subscri'), 'ポイント|积分|적립|쿠폰',
]; // biome-ignore format: lists of words

/** Amounts that are not the product's price: what is saved, carriage, instalments, thresholds, prices of a measure. */
export const asideWords = new RegExp(asideParts.join('|'), 'iu');

const listParts = [
  'was', 'rrp', 'm\\.?r\\.?p', 'msrp', 'srp', 'list price', 'regular price', 'reg', 'orig(?:inal)?(?:ly)?(?: price)?', 'compare at', 'retail(?: price)?', 'before',
  'uvp', 'statt', 'bisher(?:ige[rn]?)?(?: preis)?', 'vorher', 'zuvor', 'früher', 'alter preis', 'niedrigster preis[^\\d]{0,40}\\d* ?\\p{L}*',
  'au lieu de', 'prix (?:conseill[ée]|barr[ée]|public|de r[ée]f[ée]rence|initial)', 'ancien prix', 'antes', 'precio (?:anterior|normal|original|recomendado)', 'pvpr?', 'de:', 'preço (?:original|normal|anterior)', 'prezzo (?:di listino|consigliato|originale|precedente)', 'listino', 'anziché', 'prima',
  'adviesprijs', 'oude prijs', 'van', 'vejl', '(?:før|normal|vejledende )pris', 'før', 'veil', 'f[öo]rr', 'tidigare', 'ord(?:\\.|inarie)? ?pris', 'norm', 'ovh', 'alkuperäinen(?: hinta)?', 'aiemmin',
  'b[ěe][žz]n[áa] cena', 'p[ůu]vodn[íiě](?: cena)?', 'pôvodn[áa](?: cena)?', 'stara cena', 'poprzednia cena', 'cena (?:regularna|katalogowa)', 'najni[żžz]sza(?: cena)?[^\\d]{0,20}\\d*[^\\d]{0,30}', 'eredeti ár', 'régi ár', 'pre[țtţ] vechi', 'prp',
  'старая цена', 'цена без скидки', 'стара ціна', 'eski fiyat', '(?:piyasa|liste) fiyatı', 'αρχική τιμή', 'παλιά τιμή', 'harga (?:normal|asli|awal)', 'giá (?:gốc|niêm yết|cũ)',
  'السعر (?:قبل الخصم|الأصلي|القديم|السابق)', 'قبل الخصم', 'كان', 'מחיר קודם', 'במקום', 'ราคา(?:ปกติ|เดิม)',
  '定価', '通常価格', '参考価格', 'メーカー希望小売価格', '原价', '原價', '市场价', '市場價', '划线价', '建议零售价', '시장가', '시장가격', '정가', '정상가', '소비자가', '원가',
]; // biome-ignore format: a list of words

/** What stands before a price that is asked no more, or only recommended. */
export const listWords = new RegExp(
  `(?:^|[^\\p{L}\\p{N}])(?:${listParts.join('|')})(?=[^\\p{L}\\p{N}]|$)`,
  'iu',
);

export const priceWords =
  /\b(?:price|preis|prix|precio|pre[çc]o|prezzo|prijs|pris|cena|hinta|ár|fiyat|harga|giá)\b|цена|ціна|价格|價格|価格|가격|السعر|ราคา/iu;

const tax = '(?:vat|tax|gst|iva|mwst|ust|tva|btw|moms|mva|dph|dpf|kdv|alv|áfa|ндс|пдв)';
/** A price without its tax, beside one with it. */
export const netWords = new RegExp(
  [
    whole(
      `(?:ex|excl?|exkl|excluding|ohne|zzgl|plus|sin|sem|senza|zonder|utan|bez|без|eks(?:kl)?|hariç)\\.? ?${tax}`,
    ),
    whole(`\\+ ?${tax}`, `${tax} hariç`),
    whole('netto', 'h\\.?t', 'hors taxes?', 'iva esclusa', 'más iva', 'nettopreis'),
    '税抜|税別|부가세 별도',
  ].join('|'),
  'iu',
);
