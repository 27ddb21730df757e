import { productToken } from '../../web/robots/product-token.ts';

/** Rules with a value: what stands before their colon is no crawler, and `none` behind it is no rule. */
const valued = new Set(['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview']);

/**
 * Whether X-Robots-Tag asks not to follow the links of a page: of everybody, or behind a product token of this crawler.
 * Such a name speaks for all rules up to the end of its line, or up to the next name.
 */
export function forbidsFollowing(robotsTag: string, agent: string): boolean {
  const own = agent.toLowerCase();
  return robotsTag
    .toLowerCase()
    .split('\n')
    .some((line) => {
      let isForUs = true;
      return line.split(',').some((part) => {
        const [, name, rest] = /^\s*([^\s:]+)\s*:(.*)$/.exec(part) ?? [];
        if (name !== undefined && valued.has(name)) return false;
        if (name !== undefined) isForUs = name === '*' || productToken(name) === own;
        const rules = (rest ?? part).trim().split(/\s+/);
        return isForUs && (rules.includes('nofollow') || rules.includes('none'));
      });
    });
}
