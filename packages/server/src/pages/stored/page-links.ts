/*
 * A page's links are stored as lines, folded or deflated: those that a crawl follows, then, behind an empty line, those
 * that the page asks not to follow. A recrawl of a page that did not change goes by what is stored.
 */

import { inflateRawSync } from 'node:zlib';
import { unfoldLines } from './fold-lines.ts';

export function linkLines(followed: readonly string[], others: readonly string[]): string {
  const lines = followed.join('\n');
  return others.length > 0 ? `${lines}\n\n${others.join('\n')}` : lines;
}

/** The lines as they were, however they are stored. */
export function storedLines(links: Buffer): string {
  return unfoldLines(links) ?? inflateRawSync(links).toString('utf8');
}

export function followedLinks(lines: string): string[] {
  const end = lines.indexOf('\n\n');
  const followed = end === -1 ? lines : lines.slice(0, end);
  return followed === '' ? [] : followed.split('\n');
}

export function allLinks(lines: string): string[] {
  return lines.split('\n').filter((line) => line !== '');
}
