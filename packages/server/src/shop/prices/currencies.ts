/**
 * ISO 4217, one currency per line: code, digits of the minor unit, regions that use it, then the marks it is written with besides
 * its code. A mark on several lines is ambiguous until a region decides. The dot of an abbreviation is optional; `_` is a space.
 * Includes withdrawn currencies that old pages still show. The digits are those in use: nobody writes thousandths of an Iraqi dinar.
 */
const table = `USD 2 US,AS,BQ,EC,FM,GU,IO,MH,MP,PR,PW,SV,TC,TL,UM,VG,VI | $ US$ U$S U$ U.S.$ $US US_$ dollar dollars Dollar Dollars
EUR 2 AD,AT,BE,BG,CY,DE,EE,ES,FI,FR,GR,HR,IE,IT,LT,LU,LV,MC,ME,MT,NL,PT,SI,SK,SM,VA,XK,EU | € EURO Euro euro Euros euros ευρώ евро يورو
GBP 2 GB,UK,GG,IM,JE,GS | £ ￡ GB£ UK£ £stg. pound pounds Pounds sterling
JPY 0 JP | ¥ ￥ JP¥ 円 yen Yen YEN 日元 日圓
CNY 2 CN | ¥ ￥ CN¥ 元 圆 RMB Rmb rmb 人民币 人民幣 yuan Yuan renminbi
CHF 2 CH,LI | Fr. fr. SFr. sFr. Sfr. sfr. SFR franc francs Franc Franken ₣
CAD 2 CA | $ C$ CA$ CAN$ CDN$ Can$ Cdn$ $CA
AUD 2 AU,CX,CC,HM,KI,NR,NF,TV | $ A$ AU$ Aus$ AUS$ $AU
NZD 2 NZ,CK,NU,PN,TK | $ NZ$ $NZ
HKD 2 HK | $ HK$ $HK 港幣 港币 港元
SGD 2 SG | $ S$ SG$ $SG
TWD 2 TW | $ NT$ NT＄ TW$ NTD 元 圓 新台幣 新臺幣 台幣 臺幣
MXN 2 MX | $ MX$ Mex$ MEX$ M.N. peso pesos Pesos
BRL 2 BR | R$ BR$ real reais Reais
ARS 2 AR | $ AR$ Arg$ peso pesos Pesos
CLP 0 CL | $ CL$ CLP$ Ch$ peso pesos Pesos
COP 2 CO | $ COL$ Col$ CO$ peso pesos Pesos
UYU 2 UY | $ $U UY$ peso pesos Pesos
DOP 2 DO | $ RD$ peso pesos Pesos
CUP 2 CU | $ $MN MN$ CU$ ₱ peso pesos Pesos
CUC 2 | CUC$
BOB 2 BO | Bs. Bs$ $b boliviano bolivianos
VES 2 VE | Bs. Bs.S. BsS. Bs.D. Bs.F. BsF. bolívar bolívares
PEN 2 PE | S/. sol soles Soles
PYG 0 PY | ₲ Gs. G guaraní guaraníes
CRC 2 CR | ₡ colón colones
GTQ 2 GT | Q quetzal quetzales
HNL 2 HN | L Lps. lempira lempiras
NIO 2 NI | C$ córdoba córdobas
PAB 2 PA | B/. balboa balboas
JMD 2 JM | $ J$ JA$ JM$
TTD 2 TT | $ TT$
BBD 2 BB | $ Bds$ BDS$
BSD 2 BS | $ B$
BZD 2 BZ | $ BZ$
GYD 2 GY | $ G$ GY$
SRD 2 SR | $ Sr$
XCD 2 AG,AI,DM,GD,KN,LC,MS,VC | $ EC$
BMD 2 BM | $ BD$
KYD 2 KY | $ CI$ KY$
AWG 2 AW | ƒ Afl.
ANG 2 CW,SX | ƒ NAf. NAƒ guilder guilders
HTG 2 HT | G Gde. gourde gourdes
FKP 2 FK | FK£
GIP 2 GI |
SHP 2 SH,AC |
SEK 2 SE | kr. :- Kr. KR SKr. Skr. skr. krona kronor
NOK 2 NO,SJ,BV | kr. Kr. KR NKr. Nkr. nkr. krone kroner
DKK 2 DK,FO,GL | kr. Kr. KR DKr. Dkr. dkr. krone kroner
ISK 0 IS | kr. Kr. KR Íkr. króna krónur
CZK 2 CZ | Kč kč KČ Kc Kčs koruna koruny korun
PLN 2 PL | zł Zł ZŁ zl złoty złote złotych zloty zlotych
HUF 2 HU | Ft FT forint forints
RON 2 RO | lei leu Lei LEI Leu LEU
MDL 2 MD | lei leu Lei LEI L
BGN 2 | лв. Лв. лева лев lv. Lv. lev leva
RSD 2 RS | дин. Дин. din. Din. DIN РСД динар динара dinara
MKD 2 MK | ден. Ден. ден den. денари денар
BAM 2 BA | KM КМ
ALL 2 AL | L Lek Lekë lek lekë
HRK 2 | kn Kn KN kuna kune
TRY 2 TR | ₺ TL Tl tl YTL lira Lira ليرة_تركية
UAH 2 UA | ₴ грн. Грн. ГРН гривень гривня гривні гривен hryvnia
RUB 2 RU | ₽ руб. Руб. РУБ р. Р. рублей рубль рубля ruble rubles rouble roubles
BYN 2 BY | Br руб. р. бел.руб.
KZT 2 KZ | ₸ тг. Тг. тенге
KGS 2 KG | с сом Сом som ⃀
TJS 2 TJ | ЅМ SM смн. сомони
UZS 2 UZ | soʻm so'm сум сўм
TMT 2 TM | m манат
AZN 2 AZ | ₼ man. ман. манат manat
AMD 2 AM | ֏ դր. դրամ dram
GEL 2 GE | ₾ ლ ლარი lari лари
MNT 2 MN | ₮ төг. төгрөг tögrög tugrik
THB 2 TH | ฿ บาท baht Baht
VND 0 VN | ₫ đ Đ VNĐ VNđ vnđ đồng dong
IDR 2 ID | Rp. rp. RP rupiah Rupiah
MYR 2 MY | RM ringgit
PHP 2 PH | ₱ P piso peso pesos Pesos
KRW 0 KR | ₩ ￦ 원 won
KPW 2 KP |
INR 2 IN,BT | ₹ ₨ Rs. RS. rs. Re. रु. रू. rupee rupees Rupees
PKR 2 PK | ₨ Rs. RS. rs. rupee rupees Rupees روپے
LKR 2 LK | ₨ Rs. රු. ரூ SLRs. rupee rupees Rupees
NPR 2 NP | ₨ Rs. रू. रु. NRs. rupee rupees Rupees
MUR 2 MU | ₨ Rs. rupee rupees Rupees
SCR 2 SC | ₨ SR SRe.
MVR 2 MV | Rf. MRf. ރ. rufiyaa
BDT 2 BD | ৳ Tk. tk. টাকা taka
BTN 2 | Nu. ngultrum
MMK 2 MM | K Ks. kyat kyats
LAK 2 LA | ₭ ₭N kip
KHR 2 KH | ៛ riel riels
MOP 2 MO | MOP$ P pataca patacas 澳門幣
BND 2 BN | $ B$
AFN 2 AF | ؋ Af. Afs. افغانی afghani
IRR 2 IR | ﷼ ریال rial rials تومان toman
IQD 0 IQ | ع.د د.ع دينار dinar dinars دينار_عراقي
SAR 2 SA | ر.س. ﷼ ⃁ ريال SR riyal riyals ريال_سعودي
QAR 2 QA | ر.ق. ﷼ QR riyal riyals ريال_قطري
OMR 3 OM | ر.ع. ﷼ RO R.O. rial rials ريال_عماني
YER 2 YE | ر.ي. ﷼ YR rial rials ريال_يمني
AED 2 AE | د.إ. إ.د. Dh. Dhs. DH DHS dh. dhs. درهم dirham dirhams درهم_إماراتي
KWD 3 KW | د.ك. KD K.D. دينار dinar dinars دينار_كويتي
BHD 3 BH | د.ب. BD B.D. دينار dinar dinars دينار_بحريني
JOD 3 JO | د.أ. د.ا. JD J.D. دينار dinar dinars دينار_أردني
ILS 2 IL,PS | ₪ NIS Nis nis N.I.S. ש״ח ש"ח ש''ח שח שקל שקלים shekel shekels
LBP 2 LB | ل.ل. L£ £L L.L. LL ليرة ليرة_لبنانية
SYP 2 SY | ل.س. S£ £S SP LS ليرة ليرة_سورية
EGP 2 EG | ج.م. E£ £E EG£ L.E. LE جنيه جنيه_مصري
LYD 3 LY | ل.د. LD دينار dinar dinars دينار_ليبي
TND 3 TN | د.ت. DT دينار dinar dinars دينار_تونسي
DZD 2 DZ | د.ج. دج DA دينار dinar dinars دينار_جزائري
MAD 2 MA,EH | د.م. DH Dh. Dhs. dh. dhs. درهم dirham dirhams درهم_مغربي
MRU 2 MR | أ.م. UM أوقية ouguiya
SDG 2 SD | ج.س. £SD SD LS جنيه_سوداني
SSP 2 SS | SS£
SOS 2 SO | Sh.So. So.Sh. S
ETB 2 ET | Br ብር birr
ERN 2 ER | Nfk. Nkf. نافكا ናቕፋ nakfa
DJF 0 DJ | Fdj. DF
KES 2 KE | KSh. Ksh. KSH KShs. Kshs. shilling shillings
TZS 2 TZ | TSh. Tsh. TSH TShs. shilling shillings
UGX 0 UG | USh. Ush. USH UShs. shilling shillings
RWF 0 RW | R₣ FRw. RF Rwf
BIF 0 BI | FBu. Fbu
ZMW 2 ZM | ZK K kwacha
MWK 2 MW | MK K kwacha
MZN 2 MZ | MT MTn. Mt. metical meticais
BWP 2 BW | P pula
NAD 2 NA | $ N$
ZAR 2 ZA,LS | R rand Rand rands
LSL 2 | M L loti maloti
SZL 2 SZ | E L lilangeni
MGA 2 MG | Ar. ariary
KMF 0 KM | CF FC
NGN 2 NG | ₦ N naira Naira
GHS 2 GH | GH₵ GH¢ GHC GHc ₵ cedi cedis
GMD 2 GM | D dalasi
GNF 0 GN | FG GFr. GF
SLE 2 SL | Le leone leones
LRD 2 LR | $ L$ LD$
XOF 0 BF,BJ,CI,GW,ML,NE,SN,TG | CFA FCFA F_CFA Fcfa fcfa CFAF F
XAF 0 CF,CG,CM,GA,GQ,TD | CFA FCFA F_CFA Fcfa fcfa CFAF F
XPF 0 NC,PF,WF | FCFP F_CFP CFPF CFP ₣ F
CVE 2 CV | Esc. escudo escudos
STN 2 ST | Db. Dbs. dobra
AOA 2 AO | Kz. kwanza kwanzas
CDF 2 CD | FC
ZWL 2 ZW | $ Z$ ZW$
FJD 2 FJ | $ FJ$
PGK 2 PG | K kina
SBD 2 SB | $ SI$
WST 2 WS | WS$ T tālā
TOP 2 TO | T$ PT
VUV 0 VU | VT Vt vatu
DEM 2 | DM
FRF 2 | FF
ITL 0 | ₤ Lit. Lire lire
ESP 0 | ₧ Pts. pts. Ptas. ptas. Pta. pta.
PTE 0 | Esc. escudo escudos
IEP 2 | IR£
EEK 2 |
LTL 2 | Lt Lit. litas
LVL 2 | Ls
SKK 2 | Sk
SIT 2 |`;

export interface Currency {
  readonly code: string;
  /** Digits of the minor unit: 2 for cents, 0 where there is none. */
  readonly digits: number;
  readonly regions: readonly string[];
  readonly marks: readonly string[];
}

export const currencies: readonly Currency[] = table.split('\n').map((line) => {
  const [left = '', right = ''] = line.split('|');
  const [code = '', digits = '2', regions = ''] = left.trim().split(' ');
  return {
    code,
    digits: Number(digits),
    regions: regions.split(',').filter((region) => region !== ''),
    marks: right
      .trim()
      .split(' ')
      .filter((mark) => mark !== '')
      .map((mark) => mark.replaceAll('_', ' ')),
  };
});

const byCode = new Map(currencies.map((currency) => [currency.code, currency]));
const byRegion = new Map(currencies.flatMap(({ code, regions }) => regions.map((region) => [region, code])));

/** The ISO 4217 code in a text, or null. */
export function currencyCode(text: string): string | null {
  const code = text.trim().toUpperCase();
  return byCode.has(code) ? code : null;
}

export function minorDigits(code: string): number {
  return byCode.get(code)?.digits ?? 2;
}

/** The currency of a region (ISO 3166, upper case). */
export function currencyOfRegion(region: string): string | null {
  return byRegion.get(region) ?? null;
}
