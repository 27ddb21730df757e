import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
} from '@tanstack/react-router';
import { Notice } from '../design/notice.tsx';
import { SessionGate } from './session-gate.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({
  component: () => (
    <SessionGate>
      <Shell />
    </SessionGate>
  ),
  notFoundComponent: () => <Notice title="Page not found">Check the address or choose a view.</Notice>,
  errorComponent: ({ error }) => (
    <Notice kind="error" title="This view has crashed">
      {error instanceof Error ? error.message : String(error)}
    </Notice>
  ),
});

/** Filters, tabs and pages are stored in the URL as text; each view defines its own. */
const validateSearch = (search: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );

/** Views are loaded when they are first opened. */
const routes = [
  // For users who are already signed in.
  createRoute({
    getParentRoute: () => root,
    path: '/login',
    component: () => <Navigate to="/" replace />,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/',
    component: lazyRouteComponent(() => import('../features/overview/overview.tsx'), 'Overview'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/jobs',
    validateSearch,
    component: lazyRouteComponent(() => import('../features/jobs/job-list.tsx'), 'JobList'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/jobs/$id',
    validateSearch,
    component: lazyRouteComponent(() => import('../features/jobs/job-detail.tsx'), 'JobDetail'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/pages',
    validateSearch,
    component: lazyRouteComponent(() => import('../features/pages/page-list.tsx'), 'PageList'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/pages/$jobId/$hash',
    validateSearch,
    component: lazyRouteComponent(() => import('../features/pages/page-view.tsx'), 'PageView'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/policies',
    validateSearch,
    component: lazyRouteComponent(() => import('../features/policies/policy-list.tsx'), 'PolicyList'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/results',
    validateSearch,
    component: lazyRouteComponent(() => import('../features/results/result-list.tsx'), 'ResultList'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/results/$id',
    validateSearch,
    component: lazyRouteComponent(() => import('../features/results/result-view.tsx'), 'ResultView'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/intakes',
    validateSearch,
    component: lazyRouteComponent(() => import('../features/intakes/intake-list.tsx'), 'IntakeList'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/intakes/$id',
    validateSearch,
    component: lazyRouteComponent(() => import('../features/intakes/intake-detail.tsx'), 'IntakeDetail'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/sources',
    validateSearch,
    component: lazyRouteComponent(() => import('../features/sources/source-list.tsx'), 'SourceList'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/profiles',
    component: lazyRouteComponent(() => import('../features/profiles/profile-list.tsx'), 'ProfileList'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/bots',
    validateSearch,
    component: lazyRouteComponent(() => import('../features/bots/bot-list.tsx'), 'BotList'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/workers',
    validateSearch,
    component: lazyRouteComponent(() => import('../features/workers/worker-list.tsx'), 'WorkerList'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/keys',
    validateSearch,
    component: lazyRouteComponent(() => import('../features/keys/key-list.tsx'), 'KeyList'),
  }),
];

export const router = createRouter({
  routeTree: root.addChildren(routes),
  defaultPreload: 'intent',
  // Plain text in the address, not JSON: ?status=failed,expired
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const text = new URLSearchParams(given as [string, string][]).toString();
    return text ? `?${text}` : '';
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
