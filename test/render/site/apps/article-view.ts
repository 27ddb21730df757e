import { createElement as h, type ReactElement, useState } from 'react';
import type { SitePage } from '../content.ts';

/** The same on the server and in the browser. */
export function ArticleView({ title, text, links }: SitePage): ReactElement {
  const [likes, setLikes] = useState(0);
  return h(
    'main',
    null,
    h('h1', null, title),
    h('p', null, text),
    links.map((link) => h('a', { key: link, href: link }, `On to ${link}`)),
    h('button', { type: 'button', onClick: () => setLikes(likes + 1) }, `${likes} likes`),
  );
}
