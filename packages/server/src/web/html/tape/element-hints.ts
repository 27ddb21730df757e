import { isBlock, isHeading, tag, tagSet } from '../tape/html-tag.ts';
import { attribute, type TagAttributes } from '../tape/tag-attributes.ts';
import { classHints, hint } from './class-hints.ts';

const boilerplateRoles = new Set([
  'navigation', 'banner', 'contentinfo', 'search', 'dialog', 'alertdialog', 'menu', 'menubar', 'toolbar', 'tablist',
  'tooltip', 'button',
]); // biome-ignore format: a list of words

const asideRoles = new Set(['complementary', 'alert', 'status', 'form']);

const boilerplateTags = tagSet('nav', 'footer', 'dialog', 'search', 'menu');

const doubtful = hint.boilerplate | hint.comments | hint.consent;

export function elementHints(id: number, attributes: TagAttributes): number {
  let hints = boilerplateTags[id] === 1 ? hint.boilerplate | hint.surely : ownTag(id);
  if (attributes.isEmpty) return hints;
  if (namesCount(id)) {
    const className = attributes.get(attribute.class);
    const domId = attributes.get(attribute.id);
    if (className !== undefined) {
      hints |= classHints(className);
      // Themes put the name on what the link leads to as well.
      if ((hints & hint.permalink) !== 0 && isBlock[id] !== 1) hints |= hint.boilerplate;
      // Footnote numbers.
      if (id === tag.sup && /reference|footnote/.test(className)) hints |= hint.boilerplate;
    }
    if (domId !== undefined) {
      const named = classHints(domId);
      if ((named & ~hints & doubtful) !== 0 && (hints & doubtful) === 0) hints |= hint.byId;
      hints |= named;
    }
  }
  const role = attributes.get(attribute.role);
  if (role !== undefined) {
    if (role === 'main') hints |= hint.main;
    else if (asideRoles.has(role)) hints |= hint.aside;
    else if (role === 'tab') hints |= hint.tab;
    else if (role === 'tabpanel') hints |= hint.tabPanel;
    else if (boilerplateRoles.has(role)) hints |= hint.boilerplate | hint.surely;
  }
  if (attributes.get(attribute.itemprop) === 'articleBody') hints |= hint.body;
  if (attributes.has(attribute.hidden)) hints |= hint.hidden;
  if (attributes.get(attribute['aria-hidden']) === 'true') hints |= hint.hidden | hint.unspoken;
  const style = attributes.get(attribute.style);
  if (style !== undefined && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style)) hints |= hint.hidden;
  return hints;
}

/** Names on html and body describe the theme; terms and tables must not lose parts. */
function namesCount(id: number): boolean {
  return (
    isHeading[id] !== 1 &&
    id !== tag.pre &&
    id !== tag.html &&
    id !== tag.body &&
    id !== tag.dt &&
    id !== tag.td &&
    id !== tag.th &&
    id !== tag.tr &&
    id !== tag.tbody
  );
}

function ownTag(id: number): number {
  return id === tag.main
    ? hint.main
    : id === tag.aside
      ? hint.aside
      : id === tag.figcaption
        ? hint.caption
        : 0;
}
