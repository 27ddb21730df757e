export interface XmlHandler {
  /** `attributes` as written; see xml-text.ts. */
  open(name: string, attributes: string, isEmpty: boolean): void;
  close(name: string): void;
  /** Raw: entities are still in it, unless it came as CDATA. */
  text(text: string, isCdata: boolean): void;
}

/** A text longer than this comes in pieces; a tag longer than this is none. */
const maxToken = 16 * 1024;
const longestPiece = 64 * 1024;
const [doubleQuote, singleQuote, greater] = [0x22, 0x27, 0x3e];

/**
 * Finds tags and text in XML that comes in pieces, as it is: no validation, no nesting, no DTD, no entities. So nothing
 * can be declared that would grow, nothing outside is read, and memory stays at one token whatever is sent.
 */
export class XmlScanner {
  /** True once there was something that cannot be XML; the rest is not read. */
  isBroken = false;
  readonly #handler: XmlHandler;
  #rest = '';
  /** What is incomplete is read again once it is twice as long: at each small piece, a long tag would take quadratic time. */
  #enough = 0;
  /** What ends the comment, instruction, declaration or CDATA section that the text is in. */
  #until = '';

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  write(chunk: string): void {
    // In pieces, as they come from a site: places far into a long text are found more slowly.
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

  /** Reads what is complete, and returns the beginning of what is not. */
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
    // As many characters as `<![CDATA[` has tell what it is.
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
    // A DTD's own declarations go unread.
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
 * The `>` of a tag: the first that is in no attribute's quotes, or simply the first if a quote is never closed. Looks at
 * each character once.
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
