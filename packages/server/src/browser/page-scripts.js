// Functions that run inside the page: page-scripts.d.ts describes them.
/* global document, location, PopStateEvent, MutationObserver, HTMLSlotElement, HTMLTemplateElement, ShadowRoot, Element, XMLHttpRequest, EventTarget, navigation, getComputedStyle, requestAnimationFrame, history */

export function watchPage() {
  const longestTimer = 1_500;
  const longestChain = 5;
  const timers = new Map();
  const requests = new Set();
  const roots = [];
  let chain = 0;
  const watch = { timers, requests, roots, scrolls: false, ended: 0, later: window.setTimeout.bind(window) };
  Object.defineProperty(window, Symbol.for('holdfast'), { value: watch });

  const wrap = (owner, name, traps) => {
    const original = owner?.[name];
    // A proxy looks like the original from outside, its source text included.
    if (typeof original === 'function') owner[name] = new Proxy(original, traps);
  };
  const begin = () => {
    const request = { at: performance.now() };
    requests.add(request);
    return () => {
      requests.delete(request);
      watch.ended = performance.now();
    };
  };
  wrap(window, 'fetch', {
    apply(target, self, args) {
      const asked = Reflect.apply(target, self, args);
      const end = begin();
      asked.then(end, end);
      return asked;
    },
  });
  wrap(XMLHttpRequest.prototype, 'send', {
    apply(target, self, args) {
      self.addEventListener('loadend', begin(), { once: true });
      return Reflect.apply(target, self, args);
    },
  });
  wrap(window, 'setTimeout', {
    apply(target, self, [handler, delay = 0, ...rest]) {
      if (typeof handler !== 'function' || !(delay <= longestTimer) || chain >= longestChain)
        return Reflect.apply(target, self, [handler, delay, ...rest]);
      const link = chain + 1;
      const run = function (...args) {
        timers.delete(id);
        const before = chain;
        chain = link;
        try {
          return Reflect.apply(handler, this, args);
        } finally {
          chain = before;
        }
      };
      const id = Reflect.apply(target, self, [run, delay, ...rest]);
      timers.set(id, performance.now() + Number(delay));
      return id;
    },
  });
  wrap(window, 'clearTimeout', {
    apply(target, self, args) {
      timers.delete(args[0]);
      return Reflect.apply(target, self, args);
    },
  });
  wrap(window, 'IntersectionObserver', {
    construct(target, args, newTarget) {
      watch.scrolls = true;
      return Reflect.construct(target, args, newTarget);
    },
  });
  wrap(EventTarget.prototype, 'addEventListener', {
    apply(target, self, args) {
      if (/^(scroll|scrollend|wheel)$/.test(args[0])) watch.scrolls = true;
      return Reflect.apply(target, self, args);
    },
  });
  wrap(Element.prototype, 'attachShadow', {
    apply(target, self, [options, ...rest]) {
      const root = Reflect.apply(target, self, [{ ...options, mode: 'open' }, ...rest]);
      roots.push(root);
      return root;
    },
  });
}

export function waitForQuiet({ quietMs, capMs, timerMs, requestMs }) {
  const lookMs = 20;
  /** Changes of what a reader would not miss hold the page up for so long altogether. */
  const idleChangeMs = 1_500;
  const watch = window[Symbol.for('holdfast')];
  const later = watch?.later ?? setTimeout;
  const roots = new Set();
  const observed = { childList: true, subtree: true, characterData: true };
  const measure = () => {
    let text = document.body?.textContent?.length ?? 0;
    for (const root of roots) text += root.textContent.length;
    return { text, links: document.links.length };
  };
  return new Promise((resolve) => {
    const began = performance.now();
    let isChanged = false;
    let changedAt = began;
    let newsAt = began;
    let last = measure();
    const observer = new MutationObserver(() => {
      isChanged = true;
    });
    const observe = () => {
      for (const root of [document, ...(watch?.roots ?? [])])
        if (!roots.has(root)) {
          if (root !== document) roots.add(root);
          observer.observe(root, observed);
        }
    };
    const look = () => {
      const now = performance.now();
      observe();
      if (isChanged) {
        isChanged = false;
        const current = measure();
        if (Math.abs(current.text - last.text) > 20 || current.links !== last.links) {
          last = current;
          newsAt = now;
        }
        if (now - newsAt < idleChangeMs) changedAt = now;
      }
      newsAt = Math.max(newsAt, watch?.ended ?? 0);
      let isBusy = false;
      for (const { at } of watch?.requests ?? []) if (now - at < requestMs) isBusy = true;
      for (const due of watch?.timers.values() ?? [])
        if (due - newsAt <= timerMs && now - due < timerMs) isBusy = true;
      const isQuiet = !isBusy && now - Math.max(changedAt, newsAt) >= quietMs;
      if (!isQuiet && now - began < capMs) {
        later(look, lookMs);
        return;
      }
      observer.disconnect();
      resolve(isQuiet);
    };
    look();
  });
}

export async function scrollThrough({ capMs }) {
  const watch = window[Symbol.for('holdfast')];
  if (watch && !watch.scrolls && !window.onscroll) return undefined;
  const later = watch?.later ?? setTimeout;
  const until = performance.now() + capMs;
  const frame = () =>
    new Promise((resolve) => {
      requestAnimationFrame(() => later(resolve));
      later(resolve, 100);
    });
  const page = document.scrollingElement ?? document.documentElement;
  const canScroll = (element) => element.scrollHeight - element.clientHeight > 50;
  const inner = Array.from(document.querySelectorAll('main, div, section, ul, ol'))
    .filter((element) => canScroll(element) && /auto|scroll/.test(getComputedStyle(element).overflowY))
    .slice(0, 5);
  for (const scroller of [page, ...inner]) {
    const step = Math.max(200, (scroller === page ? window.innerHeight : scroller.clientHeight) * 0.9);
    while (scroller.scrollTop + scroller.clientHeight < scroller.scrollHeight - 1) {
      if (performance.now() > until) return undefined;
      const before = scroller.scrollTop;
      scroller.scrollTo({ top: before + step, behavior: 'instant' });
      await frame();
      if (scroller.scrollTop <= before) break;
    }
  }
  return page.scrollHeight + inner.reduce((sum, element) => sum + element.scrollHeight, 0);
}

export function scrollToTop() {
  window.scrollTo({ top: 0, behavior: 'instant' });
}

export function serializeDocument({ maxLength, url }) {
  const { doctype, documentElement } = document;
  if (!documentElement) return '';
  // A script that changed the address changed what relative links mean.
  if (
    location.href.replace(/#.*$/, '') !== url.replace(/#.*$/, '') &&
    !document.querySelector('base[href]')
  ) {
    const base = document.createElement('base');
    base.href = location.href;
    document.head?.prepend(base);
  }
  const asksForConsent = (element) => {
    const text = element.textContent ?? '';
    return (
      text.length < 4_000 &&
      /cookie|consent|gdpr|dsgvo/i.test(text) &&
      !element.querySelector('main, article, h1') &&
      (/^(fixed|sticky)$/.test(getComputedStyle(element).position) ||
        element.matches('dialog, [role=dialog], [role=alertdialog], [aria-modal=true]'))
    );
  };
  const overlays =
    'dialog, [role=dialog], [role=alertdialog], [aria-modal=true], body > *, body > * > div, ' +
    '[id*=cookie i], [class*=cookie i], [id*=consent i], [class*=consent i], [id*=gdpr i], [class*=gdpr i]';
  for (const element of document.querySelectorAll(overlays))
    if (element.isConnected && asksForConsent(element)) element.remove();
  const start = doctype ? `<!DOCTYPE ${doctype.name}>` : '';
  const hasShadows = Array.from(document.querySelectorAll('*')).some((element) => element.shadowRoot);
  if (!hasShadows) return (start + documentElement.outerHTML).slice(0, maxLength);
  // It has no window: nothing in it loads or runs.
  const inert = document.implementation.createHTMLDocument('');
  const compose = (node) => {
    if (node instanceof HTMLSlotElement && node.getRootNode() instanceof ShadowRoot) {
      const assigned = node.assignedNodes({ flatten: true });
      return (assigned.length > 0 ? assigned : Array.from(node.childNodes)).flatMap(compose);
    }
    if (node instanceof HTMLTemplateElement) return [inert.importNode(node, true)];
    const copy = inert.importNode(node, false);
    const tree = node instanceof Element && node.shadowRoot ? node.shadowRoot : node;
    for (const child of Array.from(tree.childNodes))
      for (const part of compose(child)) copy.appendChild(part);
    return [copy];
  };
  const [root] = compose(documentElement);
  return (start + root.outerHTML).slice(0, maxLength);
}

export async function clickedLinks({ maxLinks }) {
  const watch = window[Symbol.for('holdfast')];
  const later = watch?.later ?? setTimeout;
  const wait = (ms) => new Promise((resolve) => later(resolve, ms));
  const asyncMs = 50;
  const here = location.href;
  const until = performance.now() + 3_000;
  const collect = () => {
    const plain =
      'a:not([href]), [role=link]:not([href]), [onclick], [data-href], [data-url], [data-link], button, [class*=card i], li, tr, div, span';
    const others =
      'a[href], form, input, select, textarea, label, summary, [contenteditable], button[disabled]';
    const found = [];
    for (const element of Array.from(document.querySelectorAll(plain)).slice(0, 3_000)) {
      if (found.length >= maxLinks) break;
      if (element.closest(others)) continue;
      const isMarked = element.matches(
        'a, button, [role=link], [onclick], [data-href], [data-url], [data-link]',
      );
      const pointer = (one) => getComputedStyle(one).cursor === 'pointer';
      if (isMarked || (pointer(element) && !pointer(element.parentElement ?? element))) found.push(element);
    }
    return found;
  };
  const first = collect();
  if (first.length === 0 || !window.navigation) return [];
  const links = new Set();
  const note = (url) => {
    if (links.size < maxLinks && /^https?:/.test(url) && url !== here) links.add(url);
  };
  const onNavigate = (event) => {
    note(event.destination.url);
    if (event.cancelable) event.preventDefault();
  };
  const open = window.open;
  window.open = (url) => {
    note(new URL(url ?? '', document.baseURI).href);
    return null;
  };
  navigation.addEventListener('navigate', onNavigate);
  try {
    // Before any of them has drawn another view.
    for (const element of first) element.click();
    const atOnce = links.size;
    await wait(asyncMs);
    // A router that leads on later has only heard of the last one.
    for (let at = 0; links.size > atOnce && at < first.length && performance.now() < until; at++) {
      window.dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
      let now = collect();
      for (let waited = 0; now.length < first.length && waited < 5; waited++) {
        await wait(asyncMs);
        now = collect();
      }
      const before = links.size;
      now[at]?.click();
      for (let waited = 0; links.size === before && waited < 2; waited++) await wait(asyncMs / 2);
    }
  } finally {
    navigation.removeEventListener('navigate', onNavigate);
    window.open = open;
  }
  return [...links];
}
