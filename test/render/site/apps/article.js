// React over what the server rendered: running it adds nothing.
import { createElement as h } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { ArticleView } from './article-view.ts';

const state = JSON.parse(document.getElementById('state')?.textContent ?? '');
hydrateRoot(document.getElementById('root'), h(ArticleView, state));
