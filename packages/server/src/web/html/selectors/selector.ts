import { HoldfastError } from '@holdfast/contract';
import { AttributeAction, parse, SelectorType, type Selector as Token } from 'css-what';
import type { TagAttributes } from '../tape/tag-attributes.ts';
import { attributeNamed } from '../tape/tag-attributes.ts';

/** What is kept of an element, to be compared with selectors of its descendants and siblings. */
export interface SeenElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly parent: SeenElement | undefined;
  readonly before: SeenElement | undefined;
  /** Whether an element above or before this one matches a step and what comes before it. */
  readonly known: Map<Step, boolean>;
}

type Test = (element: SeenElement) => boolean;
type Combinator = 'descendant' | 'child' | 'adjacent' | 'sibling';

/** A complex selector from right to left: what the element is, and how the part before it relates to it. */
interface Step {
  readonly test: Test;
  /** How this step relates to the next one of the list. */
  readonly combinator: Combinator | undefined;
}

export type Selector = readonly (readonly Step[])[];

const maxSteps = 20;
const supported =
  'names, *, .class, #id, [attribute], :not(), :is(), and the combinators "a b", "a > b", "a + b", "a ~ b"';

/** Throws a HoldfastError that names what is not supported. */
export function parseSelector(text: string): Selector {
  let parsed: Token[][];
  try {
    parsed = parse(text);
  } catch (error) {
    throw refused(text, (error as Error).message);
  }
  return parsed.map((tokens) => stepsOf(tokens, text));
}

/** The attributes that the selectors of a page look at. */
export function readAttributes(attributes: TagAttributes): ReadonlyMap<string, string> {
  return attributes.all();
}

export function matches(selector: Selector, element: SeenElement): boolean {
  return selector.some((steps) => matchesFrom(steps, 0, element));
}

function matchesFrom(steps: readonly Step[], at: number, element: SeenElement): boolean {
  const step = steps[at] as Step;
  if (!step.test(element)) return false;
  switch (step.combinator) {
    case undefined:
      return true;
    case 'child':
      return element.parent !== undefined && matchesFrom(steps, at + 1, element.parent);
    case 'adjacent':
      return element.before !== undefined && matchesFrom(steps, at + 1, element.before);
    default:
      return anyMatches(steps, at + 1, element, step.combinator === 'descendant' ? 'parent' : 'before');
  }
}

/** Looks at each element once for each step, however deep the page and long the selector. */
function anyMatches(
  steps: readonly Step[],
  at: number,
  element: SeenElement,
  way: 'parent' | 'before',
): boolean {
  const step = steps[at] as Step;
  const passed: SeenElement[] = [];
  let found = false;
  for (let current = element; !found; ) {
    const known = current.known.get(step);
    if (known !== undefined) {
      found = known;
      break;
    }
    passed.push(current);
    const next = current[way];
    if (!next) break;
    found = matchesFrom(steps, at, next);
    current = next;
  }
  for (const one of passed) one.known.set(step, found);
  return found;
}

const combinators: Partial<Record<SelectorType, Combinator>> = {
  [SelectorType.Descendant]: 'descendant',
  [SelectorType.Child]: 'child',
  [SelectorType.Adjacent]: 'adjacent',
  [SelectorType.Sibling]: 'sibling',
};

function stepsOf(tokens: readonly Token[], text: string): Step[] {
  const steps: Step[] = [];
  let tests: Test[] = [];
  let combinator: Combinator | undefined;
  const end = () => {
    const all = tests;
    if (all.length === 0) throw refused(text, 'a part of it is empty');
    steps.unshift({ test: (element) => all.every((test) => test(element)), combinator });
    tests = [];
  };
  for (const token of tokens) {
    const next = combinators[token.type];
    if (next === undefined) {
      tests.push(testOf(token, text));
      continue;
    }
    end();
    combinator = next;
  }
  end();
  if (steps.length > maxSteps) throw refused(text, `it has more than ${maxSteps} parts`);
  return steps;
}

function testOf(token: Token, text: string): Test {
  switch (token.type) {
    case SelectorType.Universal:
      return () => true;
    case SelectorType.Tag: {
      const name = token.name.toLowerCase();
      return (element) => element.name === name;
    }
    case SelectorType.Attribute:
      return attributeTest(token, text);
    case SelectorType.Pseudo:
      if ((token.name === 'not' || token.name === 'is') && Array.isArray(token.data)) {
        const inner = token.data.map((tokens) => stepsOf(tokens, text));
        return (element) => matches(inner, element) === (token.name === 'is');
      }
      throw refused(text, `:${token.name} is not supported`);
    default:
      throw refused(text, `${token.type} is not supported`);
  }
}

function attributeTest(token: Extract<Token, { type: 'attribute' }>, text: string): Test {
  const { action, value } = token;
  const name = token.name.toLowerCase();
  if (attributeNamed(name) === 0) throw refused(text, `the attribute ${name} is not supported`);
  const fold =
    token.ignoreCase === true ? (written: string) => written.toLowerCase() : (written: string) => written;
  const wanted = fold(value);
  const compare: Partial<Record<AttributeAction, (written: string) => boolean>> = {
    [AttributeAction.Exists]: () => true,
    [AttributeAction.Equals]: (written) => written === wanted,
    [AttributeAction.Element]: (written) => wanted !== '' && written.split(/\s+/).includes(wanted),
    [AttributeAction.Start]: (written) => wanted !== '' && written.startsWith(wanted),
    [AttributeAction.End]: (written) => wanted !== '' && written.endsWith(wanted),
    [AttributeAction.Any]: (written) => wanted !== '' && written.includes(wanted),
    [AttributeAction.Hyphen]: (written) => written === wanted || written.startsWith(`${wanted}-`),
  };
  const test = compare[action];
  if (!test) throw refused(text, `this comparison of ${name} is not supported`);
  return ({ attributes }) => {
    const written = attributes.get(name);
    return written !== undefined && test(fold(written));
  };
}

function refused(text: string, why: string): HoldfastError {
  return new HoldfastError('bad_request', `the selector ${JSON.stringify(text)} cannot be used: ${why}`, {
    hint: `Selectors may have ${supported}.`,
  });
}

/** Selectors of a crawl, parsed once. */
export interface Selectors {
  readonly include: readonly Selector[];
  readonly exclude: readonly Selector[];
}

const byText = new Map<string, Selectors>();

/** Undefined where nothing is selected. */
export function selectorsOf(
  include: readonly string[] = [],
  exclude: readonly string[] = [],
): Selectors | undefined {
  if (include.length + exclude.length === 0) return undefined;
  const key = JSON.stringify([include, exclude]);
  let selectors = byText.get(key);
  if (!selectors) {
    selectors = { include: include.map(parseSelector), exclude: exclude.map(parseSelector) };
    if (byText.size > 100) byText.clear();
    byText.set(key, selectors);
  }
  return selectors;
}
