import { limits } from '../limits.ts';
import type { Selection } from '../selectors/selection.ts';
import { hint } from './class-hints.ts';
import { elementHints } from './element-hints.ts';
import { isBlock, isDropped, isVoid, tag, textNode } from './html-tag.ts';
import { microdataAttributes } from './microdata-attributes.ts';
import { OpenElements } from './open-elements.ts';
import { attribute, type TagAttributes } from './tag-attributes.ts';
import type { NodeDetails, Tape } from './tape.ts';
import { type CountedText, countText } from './text-traits.ts';

/** Judges elements while the page is read. */
export interface TapeRules {
  /** Whether the contents of an element are never text. */
  drops(id: number, attributes: TagAttributes): boolean;
  hints(id: number, attributes: TagAttributes): number;
}

const rulesOfToday: TapeRules = {
  drops: (id, attributes) => isDropped[id] === 1 && !isTex(id, attributes),
  hints: elementHints,
};

/** Called for every element that gets a node. With a listener, elements get no hints. */
export type ElementListener = (node: number, id: number, attributes: TagAttributes) => void;

/** Writes elements and text to the tape while the page is read. */
export class TapeWriter {
  readonly #tape: Tape;
  readonly #open: OpenElements;
  readonly #microdata: boolean;
  readonly #listener: ElementListener | undefined;
  readonly #rules: TapeRules;
  /** Set where a crawl selects elements. */
  selection: Pick<Selection, 'open'> | undefined;
  /** The element whose contents are skipped, and the number of open elements of its name. */
  #dropped = 0;
  #droppedDepth = 0;
  #droppedForeign = false;
  /** At the start or end of a block, where white space is not rendered. */
  #atBoundary = true;

  constructor(
    tape: Tape,
    html: string,
    microdata: boolean,
    listener?: ElementListener,
    rules: TapeRules = rulesOfToday,
  ) {
    tape.clear(html);
    this.#tape = tape;
    this.#open = new OpenElements(tape);
    this.#microdata = microdata;
    this.#listener = listener;
    this.#rules = rules;
  }

  open(id: number, attributes: TagAttributes): void {
    if (this.#dropped !== 0 && !this.#leavesForeign(id)) {
      if (id === this.#dropped) this.#droppedDepth++;
      return;
    }
    if (this.#tape.size >= limits.nodes) return;
    const drops = this.#rules.drops(id, attributes);
    if (drops) {
      this.#dropped = id;
      this.#droppedDepth = 1;
      this.#droppedForeign = false;
      if (!this.#microdata) return;
    }
    this.#open.endImplied(id);
    const hints = this.#listener === undefined ? this.#rules.hints(id, attributes) : 0;
    const node = this.#tape.add(id, this.#open.current, hints);
    const known = attributes.isEmpty ? undefined : this.#details(id, attributes);
    const details = (hints & hint.byId) === 0 ? known : { ...known, id: attributes.get(attribute.id) };
    if (details !== undefined) this.#tape.details.set(node, details);
    if ((hints & (hint.tab | hint.line)) !== 0) {
      if ((hints & hint.tab) !== 0) this.#tape.mayHaveTabs = true;
      if ((hints & hint.line) !== 0) this.#tape.mayHaveLines = true;
    }
    this.#listener?.(node, id, attributes);
    this.selection?.open(node, id, this.#tape.parents[node] as number, attributes);
    if (drops) this.#tape.ends[node] = node + 1;
    else this.#open.push(id, node);
    if (isBlock[id] === 1 || id === tag.br) this.#atBoundary = true;
    else if (isVoid[id] === 1) this.#atBoundary = false;
  }

  close(id: number): void {
    if (this.#dropped !== 0) {
      if (id === this.#dropped && --this.#droppedDepth === 0) this.#dropped = 0;
      return;
    }
    if (isVoid[id] === 1) return;
    this.#open.close(id);
    if (isBlock[id] === 1) this.#atBoundary = true;
  }

  text(start: number, end: number): void {
    if (this.#dropped !== 0) return;
    const tape = this.#tape;
    const parent = this.#open.current;
    const last = tape.size - 1;
    if (
      last >= 0 &&
      tape.tags[last] === textNode &&
      tape.parents[last] === parent &&
      tape.stops[last] === start
    ) {
      tape.stops[last] = end;
      this.#count(last, start, end);
      return;
    }
    if (tape.size >= limits.nodes) return;
    const node = tape.add(textNode, parent, 0);
    this.#count(node, start, end);
    if (tape.chars[node] === 0 && this.#atBoundary && !this.#open.isOpen(tag.pre)) {
      tape.size--;
      return;
    }
    this.#atBoundary = false;
    tape.starts[node] = start;
    tape.stops[node] = end;
    tape.ends[node] = node + 1;
  }

  end(): void {
    this.#open.closeAll();
    const { ends, parents, size } = this.#tape;
    for (let node = 0; node < size; node++)
      if (ends[node] === 0)
        ends[node] = parents[node] === -1 ? size : (ends[parents[node] as number] as number);
  }

  #count(node: number, start: number, end: number): void {
    const { html, chars, words, hints } = this.#tape;
    countText(html, start, end, counted);
    chars[node] = (chars[node] as number) + counted.chars;
    words[node] = (words[node] as number) + counted.words;
    hints[node] = (hints[node] as number) | counted.traits;
  }

  /** A block element ends an unclosed SVG, except where foreign content may hold HTML. */
  #leavesForeign(id: number): boolean {
    if (this.#dropped !== tag.svg) return false;
    if (id > tag.xmp) this.#droppedForeign = true;
    if (this.#droppedForeign || isBlock[id] !== 1) return false;
    this.#dropped = 0;
    return true;
  }

  #details(id: number, attributes: TagAttributes): NodeDetails | undefined {
    const microdata = this.#microdata ? microdataAttributes(id, attributes) : undefined;
    switch (id) {
      case tag.a:
        return { href: attributes.get(attribute.href)?.trim(), microdata };
      case tag.img: {
        const src = attributes.get(attribute.src)?.trim();
        const lazy = attributes.get(attribute['data-src'])?.trim();
        return {
          src: lazy && (!src || src.startsWith('data:')) ? lazy : src,
          alt: attributes.get(attribute.alt),
          microdata,
        };
      }
      case tag.pre:
      case tag.code:
      case tag.div:
        return withLanguage(attributes, microdata);
      case tag.ol:
        return { start: numberOf(attributes, attribute.start), microdata };
      case tag.input: {
        const type = attributes.get(attribute.type)?.toLowerCase();
        if (type === 'radio') this.#tape.mayHaveTabs = true;
        const checked = attributes.has(attribute.checked) ? 'checked' : 'unchecked';
        const input = type === 'radio' ? 'choice' : type === 'checkbox' ? checked : undefined;
        return input === undefined && microdata === undefined ? undefined : { input, microdata };
      }
      case tag.abbr:
        return { expansion: attributes.get(attribute.title)?.trim(), microdata };
      case tag.math:
        return { isDisplayed: attributes.get(attribute.display) === 'block' };
      case tag.script:
        return { isDisplayed: /mode=display/.test(attributes.get(attribute.type) ?? '') };
      case tag.td:
      case tag.th:
        return {
          colspan: numberOf(attributes, attribute.colspan),
          rowspan: numberOf(attributes, attribute.rowspan),
          microdata,
        };
      case tag.table:
        return /^(?:presentation|none)$/.test(attributes.get(attribute.role) ?? '')
          ? { isLayout: true, microdata }
          : microdata && { microdata };
      default:
        return microdata && { microdata };
    }
  }
}

/** MathJax keeps formulas in script elements. */
function isTex(id: number, attributes: TagAttributes): boolean {
  return id === tag.script && /^math\/tex/i.test(attributes.get(attribute.type) ?? '');
}

function numberOf(attributes: TagAttributes, name: number): number {
  return Number.parseInt(attributes.get(name) ?? '1', 10) || 1;
}

const counted: CountedText = { chars: 0, words: 0, traits: 0 };

const languageClass =
  /(?:^|\s)(?:(?:mw-highlight-)?lang(?:uage)?-|highlight-(?:source-|text-)?|brush:\s*)([\w+#.-]+)/i;
const bareLanguageClass = /(?:^|\s)(?:(?:hljs|sourceCode)\s+([\w+#.-]+)|([\w+#.-]+)\s+hljs(?:\s|$))/;

/** Documentation generators put the language on the code block, on the code inside or on the element around. */
function withLanguage(
  attributes: TagAttributes,
  microdata: NodeDetails['microdata'],
): Pick<NodeDetails, 'language' | 'microdata'> | undefined {
  const named = attributes.get(attribute['data-lang']) ?? attributes.get(attribute['data-language']);
  const language = named ?? classLanguage(attributes.get(attribute.class));
  return language === undefined && microdata === undefined ? undefined : { language, microdata };
}

function classLanguage(className: string | undefined): string | undefined {
  if (className === undefined || !/lang|highl|brush|hljs|source/i.test(className)) return undefined;
  const found = languageClass.exec(className) ?? bareLanguageClass.exec(className);
  return found?.[1] ?? found?.[2];
}
