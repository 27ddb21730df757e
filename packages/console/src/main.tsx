import './design/tokens.css';
import './design/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.ts';
import { router } from './app/router.tsx';

/** A server that was renewed has other files; the address says where we are, so a fresh page goes on there. */
window.addEventListener('vite:preloadError', () => {
  const last = Number(sessionStorage.getItem('holdfast-renewed') ?? 0);
  if (Date.now() - last < 60_000) return;
  sessionStorage.setItem('holdfast-renewed', String(Date.now()));
  location.reload();
});

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
