import { attribute } from '../tape/attribute.ts';
import { tag, tagSet } from '../tape/html-tag.ts';
import type { TagAttributes } from '../tape/tag-attributes.ts';
import { classHints, hint } from './class-hints.ts';

const boilerplateRoles = new Set([
  'navigation', 'banner', 'contentinfo', 'complementary', 'search', 'dialog', 'alertdialog', 'alert', 'menu', 'menubar',
  'toolbar', 'tablist', 'tooltip', 'status', 'button', 'form',
]); // biome-ignore format: a list of words

const boilerplateTags = tagSet('nav', 'aside', 'footer', 'dialog', 'search', 'menu');

export function elementHints(id: number, attributes: TagAttributes): number {
  let hints = boilerplateTags[id] === 1 ? hint.boilerplate | hint.surely : ownTag(id);
  if (attributes.isEmpty) return hints;
  if (namesCount(id)) {
    const className = attributes.get(attribute.class);
    const domId = attributes.get(attribute.id);
    if (className !== undefined) {
      hints |= classHints(className);
      // Numbers of footnotes.
      if (id === tag.sup && /reference|footnote/.test(className)) hints |= hint.boilerplate;
    }
    if (domId !== undefined) hints |= classHints(domId);
  }
  const role = attributes.get(attribute.role);
  if (role !== undefined) {
    if (role === 'main') hints |= hint.main;
    else if (boilerplateRoles.has(role)) hints |= hint.boilerplate | hint.surely;
  }
  if (attributes.get(attribute.itemprop) === 'articleBody') hints |= hint.body;
  if (attributes.has(attribute.hidden) || attributes.get(attribute['aria-hidden']) === 'true')
    hints |= hint.hidden;
  const style = attributes.get(attribute.style);
  if (style !== undefined && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style)) hints |= hint.hidden;
  return hints;
}

/** The names on html and body describe the site's theme; a table without one of its cells would be wrong. */
function namesCount(id: number): boolean {
  return (
    id !== tag.html && id !== tag.body && id !== tag.td && id !== tag.th && id !== tag.tr && id !== tag.tbody
  );
}

function ownTag(id: number): number {
  return id === tag.main ? hint.main : id === tag.figcaption ? hint.caption : 0;
}
