import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { Notice } from '../design/notice.tsx';
import { SessionGate } from './session-gate.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({
  component: () => (
    <SessionGate>
      <Shell />
    </SessionGate>
  ),
  notFoundComponent: () => (
    <Notice title="There is nothing here">Check the address, or choose a view.</Notice>
  ),
  errorComponent: ({ error }) => (
    <Notice kind="error" title="This view broke">
      {error instanceof Error ? error.message : String(error)}
    </Notice>
  ),
});

/** Views are loaded when they are first opened. Filters, tabs and pages live in the address. */
const routes = [
  createRoute({
    getParentRoute: () => root,
    path: '/',
    component: lazyRouteComponent(() => import('../features/overview/overview.tsx'), 'Overview'),
  }),
];

export const router = createRouter({ routeTree: root.addChildren(routes), defaultPreload: 'intent' });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
