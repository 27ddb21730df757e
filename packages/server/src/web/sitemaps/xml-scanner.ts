export interface XmlHandler {
  /** `attributes`: as written; see xmlAttribute. */
  open(name: string, attributes: string, isEmpty: boolean): void;
  close(name: string): void;
  /** With entities, unless it is CDATA. */
  text(text: string, isCdata: boolean): void;
}

/** Longer text is delivered in pieces; a longer tag is invalid. */
const maxToken = 16 * 1024;
const longestPiece = 64 * 1024;
const [doubleQuote, singleQuote, greater] = [0x22, 0x27, 0x3e];

/**
 * Finds tags and text in XML that arrives in pieces, without validation, nesting, DTDs or entities. So no declaration can expand,
 * nothing external is read, and memory is bounded by one token.
 */
export class XmlScanner {
  /** Whether the document turned out to be invalid; the rest is not read. */
  isBroken = false;
  readonly #handler: XmlHandler;
  #rest = '';
  /** What is incomplete is read again once it is twice as long: at each small piece, a long tag would take quadratic time. */
  #enough = 0;
  /** The end of the current comment, instruction, declaration or CDATA section. */
  #until = '';

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  write(chunk: string): void {
    // In pieces of the usual size: searching far into a long text is slower.
    for (let at = 0; at < chunk.length; at += longestPiece) {
      this.#rest += chunk.slice(at, at + longestPiece);
      if (this.#rest.length < this.#enough) continue;
      this.#rest = this.#scan(this.#rest, false);
      this.#enough = Math.min(2 * this.#rest.length, maxToken + 1);
    }
  }

  /** Inside a comment, an instruction, a declaration or a CDATA section. */
  get isInSection(): boolean {
    return this.#until !== '';
  }

  end(): void {
    this.#scan(this.#rest, true);
    this.#rest = '';
  }

  /** Scans complete tokens and returns the incomplete rest. */
  #scan(text: string, isLast: boolean): string {
    let at = 0;
    while (at < text.length && !this.isBroken) {
      const next = this.#until ? this.#skip(text, at, isLast) : this.#token(text, at, isLast);
      if (next === -1) break;
      at = next;
    }
    return this.isBroken ? '' : text.slice(at);
  }

  #skip(text: string, at: number, isLast: boolean): number {
    const end = text.indexOf(this.#until, at);
    const isCdata = this.#until === ']]>';
    const stop = end === -1 ? (isLast ? text.length : Math.max(at, text.length - 2)) : end;
    if (isCdata && stop > at) this.#handler.text(text.slice(at, stop), true);
    if (end === -1) return stop > at ? stop : -1;
    const { length } = this.#until;
    this.#until = '';
    return end + length;
  }

  #token(text: string, at: number, isLast: boolean): number {
    const open = text.indexOf('<', at);
    const isWhole = isLast || text.length - at > maxToken;
    if (open !== at) {
      if (open === -1 && !isWhole) return -1;
      const end = open === -1 ? text.length : open;
      this.#handler.text(text.slice(at, end), false);
      return end;
    }
    // Nine characters, the length of `<![CDATA[`, are enough to tell what follows.
    const next = text.length - at < 9 && !isWhole ? -1 : this.#markup(text, at, isWhole);
    if (next === -1 && isWhole) this.isBroken = true;
    return next;
  }

  #markup(text: string, at: number, isWhole: boolean): number {
    const second = text[at + 1] ?? '';
    if (second === '!' || second === '?') return this.#declaration(text, at);
    if (second === '/') {
      const end = text.indexOf('>', at);
      if (end !== -1) this.#handler.close(text.slice(at + 2, end).trim());
      return end === -1 ? -1 : end + 1;
    }
    if (/[a-z_:\x80-\uffff]/i.test(second)) return this.#tag(text, at, isWhole);
    this.#handler.text('<', false);
    return at + 1;
  }

  #declaration(text: string, at: number): number {
    if (text.startsWith('<!--', at)) return this.#enter('-->', at + 4);
    if (text.startsWith('<![CDATA[', at)) return this.#enter(']]>', at + 9);
    if (text[at + 1] === '?') return this.#enter('?>', at + 2);
    const end = text.indexOf('>', at);
    const subset = text.slice(at, end === -1 ? text.length : end).indexOf('[');
    // Skips the internal subset of a DTD.
    if (subset !== -1) return this.#enter(']', at + subset + 1);
    return end === -1 ? -1 : end + 1;
  }

  #enter(until: string, at: number): number {
    this.#until = until;
    return at;
  }

  #tag(text: string, at: number, isWhole: boolean): number {
    const end = tagEnd(text, at, isWhole);
    if (end === -1) return -1;
    const isEmpty = text[end - 1] === '/';
    const body = text.slice(at + 1, isEmpty ? end - 1 : end);
    const space = body.search(/\s/);
    const [name, attributes] = space === -1 ? [body, ''] : [body.slice(0, space), body.slice(space)];
    this.#handler.open(name, attributes, isEmpty);
    return end + 1;
  }
}

/**
 * Finds the `>` of a tag: the first outside of quoted attributes, or simply the first if a quote is never closed. Looks at each
 * character once.
 */
function tagEnd(text: string, start: number, isWhole: boolean): number {
  const first = text.indexOf('>', start);
  if (first === -1) return -1;
  const unclosed = isWhole ? first : -1;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === greater) return at;
    if (code !== doubleQuote && code !== singleQuote) continue;
    at = text.indexOf(code === doubleQuote ? '"' : "'", at + 1);
    if (at === -1 || at - start > maxToken) return unclosed;
  }
  return unclosed;
}

const entity = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi;
const isSpace = /\s/;
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Replaces XML's five entities and numeric references; any other `&` is literal. */
export function xmlText(raw: string): string {
  if (!raw.includes('&')) return raw;
  return raw.replace(
    entity,
    (whole, name: string | undefined, decimal: string | undefined, hex: string | undefined) => {
      if (name !== undefined) return named[name.toLowerCase()] as string;
      const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

/**
 * The value of an attribute in a tag's text, or undefined. Searches from one equals sign to the next: a regular expression that
 * begins with a name would restart at each of its characters.
 */
export function xmlAttribute(attributes: string, name: string): string | undefined {
  let from = 0;
  for (let equals = attributes.indexOf('='); equals !== -1; equals = attributes.indexOf('=', from)) {
    const found = lastWord(attributes.slice(from, equals));
    from = equals + 1;
    const value = attributes.slice(from).trimStart();
    const close = value[0] === '"' || value[0] === "'" ? value.indexOf(value[0], 1) : -1;
    if (close === -1 || found === '') continue;
    if (found.toLowerCase() === name) return xmlText(value.slice(1, close)).trim();
    from = attributes.length - value.length + close + 1;
  }
  return undefined;
}

function lastWord(text: string): string {
  const trimmed = text.trimEnd();
  let start = trimmed.length;
  while (start > 0 && !isSpace.test(trimmed[start - 1] as string)) start--;
  return trimmed.slice(start);
}
