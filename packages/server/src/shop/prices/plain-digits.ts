/** First digits of the scripts that count in tens with signs of their own. */
const zeros = [
  0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040,
  0x17e0, 0x1810, 0xff10,
];
const spaces = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u200b\u200e\u200f\u061c\ufeff\t\n\r\f\v]/g;
const unusual = /[^ -~€£¥]/;

/** The same text, of the same length, with ASCII's digits, separators and spaces, so that one set of rules reads all. */
export function plainDigits(text: string): string {
  if (!unusual.test(text)) return text;
  return text
    .replace(spaces, ' ')
    .replace(/[٫．]/g, '.')
    .replace(/[٬，]/g, ',')
    .replace(/[\u0660-\u1819\uff10-\uff19]/g, (c) => {
      const code = c.charCodeAt(0);
      const zero = zeros.find((first) => code >= first && code < first + 10);
      return zero === undefined ? c : String(code - zero);
    });
}
