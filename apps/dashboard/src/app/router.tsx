import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import type { AnalyticsSearch } from '../features/analytics/analytics-search.js';
import type { ListSearch } from '../features/filters/list-search.js';
import type { CompareSearch } from '../pages/compare/compare-search.js';
import type { DatasetSearch } from '../pages/dataset/dataset-search.js';
import type { EventsSearch } from '../pages/events/events-search.js';
import type { RunSearch } from '../pages/evaluation/run-search.js';
import type { EvaluationsSearch } from '../pages/evaluations/evaluations-search.js';
import type { NewEvaluationSearch } from '../pages/new-evaluation/new-evaluation-search.js';
import type { ReviewSearch } from '../pages/review-queue/review-search.js';
import type { TraceSearch } from '../pages/trace/trace-search.js';
import { newTraceId } from '../features/addresses.js';
import type { TrySearch } from '../pages/try/try-page.js';
import { PageFault } from './page-fault.js';
import { readSearch, writeSearch } from './search-text.js';
import { Shell } from './shell.js';

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: Shell });

const at = <Path extends string>(path: Path) => ({ getParentRoute: () => root, path });

/** The search parameters of a page, which reads them itself (`usePageSearch`). */
const search = <Known extends object>() => ({
  validateSearch: (all: Record<string, unknown>): Known => all as Known,
});

/** A list of its own: within `addChildren` the parameters of their addresses would be unknown. */
const pages = [
  createRoute({
    ...at('/'),
    beforeLoad: () => {
      throw redirect({ to: '/traces', replace: true });
    },
  }),
  createRoute({
    ...at('/traces'),
    ...search<ListSearch>(),
    component: lazyRouteComponent(() => import('../pages/traces/traces-page.js'), 'TracesPage'),
  }),
  createRoute({
    ...at('/traces/$id'),
    ...search<TraceSearch>(),
    component: lazyRouteComponent(() => import('../pages/trace/trace-page.js'), 'TracePage'),
  }),
  // What a link opens: the page of its trace, to be read alone.
  createRoute({
    ...at('/s/$token'),
    ...search<TraceSearch>(),
    component: lazyRouteComponent(() => import('../pages/trace/shared-trace-page.js'), 'SharedTracePage'),
  }),
  createRoute({
    ...at('/p/$project/$'),
    component: lazyRouteComponent(() => import('../pages/project/project-page.js'), 'ProjectPage'),
  }),
  createRoute({
    ...at('/sessions'),
    ...search<ListSearch>(),
    component: lazyRouteComponent(() => import('../pages/sessions/sessions-page.js'), 'SessionsPage'),
  }),
  createRoute({
    ...at('/sessions/$id'),
    component: lazyRouteComponent(() => import('../pages/session/session-page.js'), 'SessionPage'),
  }),
  createRoute({
    ...at('/users'),
    ...search<ListSearch>(),
    component: lazyRouteComponent(() => import('../pages/users/users-page.js'), 'UsersPage'),
  }),
  createRoute({
    ...at('/users/$id'),
    component: lazyRouteComponent(() => import('../pages/user/user-page.js'), 'UserPage'),
  }),
  createRoute({
    ...at('/spans'),
    ...search<ListSearch>(),
    component: lazyRouteComponent(() => import('../pages/spans/spans-page.js'), 'SpansPage'),
  }),
  createRoute({
    ...at('/analytics'),
    ...search<AnalyticsSearch>(),
    component: lazyRouteComponent(() => import('../pages/analytics/analytics-page.js'), 'AnalyticsPage'),
  }),
  createRoute({
    ...at('/boards'),
    component: lazyRouteComponent(() => import('../pages/boards/boards-page.js'), 'BoardsPage'),
  }),
  createRoute({
    ...at('/boards/$id'),
    component: lazyRouteComponent(() => import('../pages/board/board-page.js'), 'BoardPage'),
  }),
  createRoute({
    ...at('/alerts'),
    ...search<{ tab?: 'channels' }>(),
    component: lazyRouteComponent(() => import('../pages/alerts/alerts-page.js'), 'AlertsPage'),
  }),
  createRoute({
    ...at('/alerts/$id'),
    component: lazyRouteComponent(() => import('../pages/alert/alert-page.js'), 'AlertPage'),
  }),
  createRoute({
    ...at('/datasets'),
    ...search<ListSearch>(),
    component: lazyRouteComponent(() => import('../pages/datasets/datasets-page.js'), 'DatasetsPage'),
  }),
  createRoute({
    ...at('/datasets/$id'),
    ...search<DatasetSearch>(),
    component: lazyRouteComponent(() => import('../pages/dataset/dataset-page.js'), 'DatasetPage'),
  }),
  createRoute({
    ...at('/datasets/$id/datapoints/$dp'),
    component: lazyRouteComponent(() => import('../pages/datapoint/datapoint-page.js'), 'DatapointPage'),
  }),
  createRoute({
    ...at('/scoring-rules'),
    component: lazyRouteComponent(() => import('../pages/scoring-rules/scoring-rules-page.js'), 'ScoringRulesPage'),
  }),
  createRoute({
    ...at('/scoring-rules/$id'),
    component: lazyRouteComponent(() => import('../pages/scoring-rule/scoring-rule-page.js'), 'ScoringRulePage'),
  }),
  createRoute({
    ...at('/try'),
    ...search<TrySearch>(),
    beforeLoad: ({ search: asked }) => {
      throw redirect({ to: '/try/$id', params: { id: newTraceId() }, search: asked, replace: true });
    },
  }),
  createRoute({
    ...at('/try/$id'),
    ...search<TrySearch>(),
    component: lazyRouteComponent(() => import('../pages/try/try-page.js'), 'TryPage'),
  }),
  createRoute({
    ...at('/connections'),
    component: lazyRouteComponent(() => import('../pages/connections/connections-page.js'), 'ConnectionsPage'),
  }),
  createRoute({
    ...at('/review'),
    component: lazyRouteComponent(() => import('../pages/review/review-page.js'), 'ReviewPage'),
  }),
  createRoute({
    ...at('/review/$id'),
    ...search<ReviewSearch>(),
    component: lazyRouteComponent(() => import('../pages/review-queue/review-queue-page.js'), 'ReviewQueuePage'),
  }),
  createRoute({
    ...at('/events'),
    ...search<EventsSearch>(),
    component: lazyRouteComponent(() => import('../pages/events/events-page.js'), 'EventsPage'),
  }),
  createRoute({
    ...at('/evaluations'),
    ...search<EvaluationsSearch>(),
    component: lazyRouteComponent(() => import('../pages/evaluations/evaluations-page.js'), 'EvaluationsPage'),
  }),
  createRoute({
    ...at('/evaluations/new'),
    ...search<NewEvaluationSearch>(),
    component: lazyRouteComponent(() => import('../pages/new-evaluation/new-evaluation-page.js'), 'NewEvaluationPage'),
  }),
  createRoute({
    ...at('/evaluations/compare'),
    ...search<CompareSearch>(),
    component: lazyRouteComponent(() => import('../pages/compare/compare-page.js'), 'ComparePage'),
  }),
  createRoute({
    ...at('/evaluations/$id'),
    ...search<RunSearch>(),
    component: lazyRouteComponent(() => import('../pages/evaluation/run-page.js'), 'RunPage'),
  }),
  createRoute({
    ...at('/settings'),
    component: lazyRouteComponent(() => import('../pages/settings/settings-page.js'), 'SettingsPage'),
  }),
  createRoute({
    ...at('/sign-in'),
    component: lazyRouteComponent(() => import('../pages/sign-in/sign-in-page.js'), 'SignInPage'),
  }),
] as const;

/** The pages by their addresses. */
export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: root.addChildren(pages),
    context: { queryClient },
    parseSearch: readSearch,
    stringifySearch: writeSearch,
    // A page is fetched when a link to it is about to be pressed.
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultNotFoundComponent: lazyRouteComponent(() => import('./not-found-page.js'), 'NotFoundPage'),
    defaultErrorComponent: PageFault,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
