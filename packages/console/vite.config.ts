import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** The console ships inside the server's package, which serves it. */
export default defineConfig({
  root: path('.'),
  plugins: [react()],
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
