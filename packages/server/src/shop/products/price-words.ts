/** Amounts that are not the product's price: what is saved, carriage, instalments, thresholds, prices of a measure. */
export const asideWords =
  /\bsav(?:e|ings?)\b|\boff\b|\bshipping|\bdelivery|\bpostage|\bp&p\b|\bfreight|\bimport (?:fees|charges)|\bper (?:month|week|day|unit|100|1)|\/ ?mo(?:nth|\b)|\bmonthly|\ba month|\bdeposit|\bpoints?\b|\bcash ?back|\bcoupon|\bvoucher|\bgift|\breviews?\b|\bspar(?:en|st|t)?\b|\bversand|\blivraison|\b[ée]conom|\benv[íi]os?\b|\bahorr|\bfrete|\bspedizione|\brisparmi|\bverzend|\bfrakt|\bfragt|\bdostaw|\bdoprav|\bszállít|доставк|\bskonto|\bmonat|\braten?\b|\bcuotas?\b|\bparcelas?\b|\/ ?mois|\/ ?mes\b|\/ ?mês|\d ?x (?:de )?\p{Sc}|\b(?:over|above|ab|dès|desde|acima de) \p{Sc}?\d|\borders? (?:over|of)|\bsubscri|\btrade-?in|\binsurance|\bwarranty|\/ ?(?:100 ?)?(?:g|kg|ml|l|oz|lb|m²|m2|sq|ft)\b/iu;

/** What stands before a price that is asked no more, or only recommended. */
export const listWords =
  /(?:^|\W)(?:was|rrp|msrp|srp|list price|regular price|reg|orig(?:inal)?(?:ly)?(?: price)?|compare at|retail(?: price)?|before|uvp|statt|bisher|vorher|zuvor|au lieu de|prix (?:conseill[ée]|barr[ée])|antes|precio (?:anterior|normal)|pvpr?|de:|prezzo di listino|listino|anziché|adviesprijs|van|vejl|f[öo]rr|tidigare|ord(?:\.|inarie)? ?pris|b[ěe][žz]n[áa] cena|p[ůu]vodn[íiě]|pôvodn|stara cena|cena regularna|najni[žz]sza|eredeti ár|старая цена|стара ціна|定価|原价|原價|市场价|정가)(?=[^\p{L}\p{N}]|$)/iu;

export const priceWords =
  /\b(?:price|preis|prix|precio|pre[çc]o|prezzo|prijs|pris|cena|hinta|ár)\b|цена|ціна|价格|價格|価格|가격/iu;
