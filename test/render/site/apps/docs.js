// Vue with routes behind the #.
import { createApp, defineComponent, h, ref } from 'vue';

const Docs = defineComponent(() => {
  const page = ref();
  const load = async () => {
    const route = location.hash.length > 2 ? location.hash : '';
    page.value = await (await fetch(`/data?${encodeURIComponent(`/docs${route}`)}`)).json();
    document.title = page.value?.title ?? '';
  };
  window.addEventListener('hashchange', load);
  void load();
  return () =>
    page.value === undefined
      ? h('p', 'Loading …')
      : h('article', [
          h('h1', page.value.title),
          h('p', page.value.text),
          page.value.links.map((link) => h('a', { href: link }, `On to ${link}`)),
        ]);
});

createApp(Docs).mount('#app');
