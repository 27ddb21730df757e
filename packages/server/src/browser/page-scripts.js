// Functions that run inside the page: page-scripts.d.ts describes them.
/* global document, MutationObserver, HTMLSlotElement, HTMLTemplateElement, ShadowRoot, Element */

export function waitForQuietDom({ quietMs, capMs }) {
  return new Promise((resolve) => {
    let quiet;
    const end = (isQuiet) => {
      clearTimeout(quiet);
      clearTimeout(cap);
      observer.disconnect();
      resolve(isQuiet);
    };
    const again = () => {
      clearTimeout(quiet);
      quiet = setTimeout(() => end(true), quietMs);
    };
    const cap = setTimeout(() => end(false), capMs);
    const observer = new MutationObserver(again);
    observer.observe(document, { childList: true, subtree: true, characterData: true });
    again();
  });
}

export function serializeDocument(maxLength) {
  const { doctype, documentElement } = document;
  if (!documentElement) return '';
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
