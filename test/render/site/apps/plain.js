// What needs no framework. Each page has one element that one of these fills.

const dataOf = async (path) => await (await fetch(`/data?${encodeURIComponent(path)}`)).json();

const contentOf = ({ title, text, links }) =>
  `<h1>${title}</h1><p>${text}</p>${links.map((link) => `<a href="${link}">On</a>`).join(' ')}`;

/** A shadow tree that nobody may look into. */
class TextCard extends HTMLElement {
  async connectedCallback() {
    const root = this.attachShadow({ mode: 'closed' });
    root.innerHTML = contentOf(await dataOf(location.pathname));
  }
}
customElements.define('text-card', TextCard);

/** Every ordinary page has this overlay; it is not what the page is about. */
function askForConsent() {
  const overlay = document.createElement('div');
  overlay.style.cssText = 'position: fixed; bottom: 0; z-index: 999';
  overlay.innerHTML = `<p>${'We and our partners use cookies and ask for your consent to measure what you read. '.repeat(6)}</p><button>Accept</button>`;
  document.body.append(overlay);
}

const fill = {
  banner: askForConsent,
  async news(element) {
    const page = await dataOf(location.pathname);
    element.innerHTML = contentOf(page);
    document.title = page.title;
  },
  state(element) {
    element.innerHTML = contentOf(JSON.parse(document.getElementById('data')?.textContent ?? ''));
  },
  async plea(element) {
    element.innerHTML = contentOf(await dataOf(location.pathname));
  },
  moved() {
    location.replace(`/text/${location.pathname.at(-1)}`);
  },
  board(element) {
    for (const one of element.querySelectorAll('[data-topic]'))
      one.onclick = () => location.assign(`/topic/${one.dataset.topic}`);
  },
};

for (const element of document.querySelectorAll('[data-fill]'))
  void fill[element.dataset.fill ?? '']?.(element);
