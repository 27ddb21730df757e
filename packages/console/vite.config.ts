import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** The console ships inside the server's package, which serves it. */
export default defineConfig({
  root: path('.'),
  plugins: [react(), limitFirstLoad()],
  build: {
    outDir: path('../server/dist/console'),
    emptyOutDir: true,
    // No data: URLs: the content security policy allows none but for pictures of our own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    // `npm run console` beside a running `holdfast up`.
    proxy: { '/api': 'http://127.0.0.1:7070' },
  },
});

/** What a first visit loads, compressed: the entry and the overview, with its charts. */
function limitFirstLoad(): Plugin {
  const limit = 190_000;
  return {
    name: 'limit-first-load',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const overview = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/overview.tsx'));
      const loaded = new Set<string>();
      const load = (name: string) => {
        const chunk = chunks.find(({ fileName }) => fileName === name);
        if (loaded.has(name)) return;
        loaded.add(name);
        for (const style of chunk?.viteMetadata?.importedCss ?? []) loaded.add(style);
        for (const imported of chunk?.imports ?? []) load(imported);
      };
      for (const { isEntry, fileName } of chunks) if (isEntry) load(fileName);
      if (overview) load(overview.fileName);
      for (const name of chunks.flatMap(({ fileName, dynamicImports }) =>
        loaded.has(fileName) ? dynamicImports : [],
      ))
        if (/\bchart-/.test(name)) load(name);
      const bytes = [...loaded].reduce((sum, name) => {
        const file = bundle[name];
        return sum + (file ? gzipSync(file.type === 'chunk' ? file.code : file.source).length : 0);
      }, 0);
      if (!overview) this.error('the overview is not a chunk of its own any more');
      if (bytes > limit) this.error(`a first visit loads ${bytes} bytes, gzipped; ${limit} are allowed`);
      if (process.env.HOLDFAST_SHOW_SIZE)
        console.log(`first load: ${bytes} bytes gzipped, of ${loaded.size} files`);
    },
  };
}
