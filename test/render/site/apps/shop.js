// React, rendered by the browser alone: routes of the History API, data that comes after a skeleton.
import { createElement as h, useEffect, useState, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';

const listeners = new Set();
const tell = () => {
  for (const listener of listeners) listener();
};
const go = (path) => {
  history.pushState(null, '', path);
  tell();
};
window.addEventListener('popstate', tell);

function usePath() {
  const listen = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return useSyncExternalStore(listen, () => location.pathname);
}

function App() {
  const path = usePath();
  const [page, setPage] = useState();
  useEffect(() => {
    setPage(undefined);
    const timer = setTimeout(async () => setPage(await (await fetch(`/data?${path}`)).json()), 200);
    return () => clearTimeout(timer);
  }, [path]);
  if (!page) return h('div', { className: 'skeleton', 'aria-busy': true }, h('span'), h('span'));
  document.title = page.title;
  const follow = (link) => (event) => {
    event.preventDefault();
    go(link);
  };
  return h(
    'main',
    null,
    h('h1', null, page.title),
    h('p', null, page.text),
    page.links.map((link) => h('a', { key: link, href: link, onClick: follow(link) }, `On to ${link}`)),
    page.clicks.map((link) => h('button', { key: link, type: 'button', onClick: () => go(link) }, 'More')),
  );
}

createRoot(document.getElementById('root')).render(h(App));
