import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type RouteComponent,
  useRouter,
  type ErrorComponentProps,
} from '@tanstack/react-router';
import { BASE } from '../api/project-base.js';
import type { AnalyticsSearch } from '../features/analytics/analytics-search.js';
import type { ListSearch } from '../features/filters/list-search.js';
import type { CompareSearch } from '../pages/compare/compare-search.js';
import type { DatasetSearch } from '../pages/dataset/dataset-search.js';
import type { EventsSearch } from '../pages/events/events-page.js';
import type { RunSearch } from '../pages/evaluation/run-search.js';
import type { NewEvaluationSearch } from '../pages/new-evaluation/new-evaluation-page.js';
import type { ReviewSearch } from '../pages/review-queue/review-queue-page.js';
import type { TraceSearch } from '../pages/trace/trace-search.js';
import { newTraceId } from '../features/addresses.js';
import type { TrySearch } from '../pages/try/try-page.js';
import { readSearch, writeSearch } from './search-text.js';
import { Shell } from './shell.js';
import { FaultNotice, PageHeading } from '../components/page-parts.js';

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: Shell });

const at = <Path extends string>(path: Path) => ({ getParentRoute: () => root, path });

/** The search parameters of a page, which reads them itself (`usePageSearch`). */
const search = <Known extends object>() => ({
  validateSearch: (all: Record<string, unknown>): Known => all as Known,
});

/** A page at an address, which is fetched when it is opened. */
const page =
  <Known extends object = object>() =>
  <Path extends string, Module extends Record<Name, unknown>, Name extends string>(
    path: Path,
    load: () => Promise<Module>,
    name: Name,
  ) =>
    createRoute({ ...at(path), ...search<Known>(), component: lazyRouteComponent(load, name) as RouteComponent });

/** A list of its own: within `addChildren` the parameters of their addresses would be unknown. */
const pages = [
  createRoute({
    ...at('/'),
    beforeLoad: () => {
      throw redirect({ to: '/traces', replace: true });
    },
  }),
  page<ListSearch>()('/traces', () => import('../pages/traces/traces-page.js'), 'TracesPage'),
  page<TraceSearch>()('/traces/$id', () => import('../pages/trace/trace-page.js'), 'TracePage'),
  // What a link opens: the page of its trace, to be read alone.
  page<TraceSearch>()('/s/$token', () => import('../pages/trace/shared-trace-page.js'), 'SharedTracePage'),
  page<ListSearch>()('/sessions', () => import('../pages/sessions/sessions-page.js'), 'SessionsPage'),
  page()('/sessions/$id', () => import('../pages/session/session-page.js'), 'SessionPage'),
  page<ListSearch>()('/users', () => import('../pages/users/users-page.js'), 'UsersPage'),
  page()('/users/$id', () => import('../pages/user/user-page.js'), 'UserPage'),
  page<ListSearch>()('/spans', () => import('../pages/spans/spans-page.js'), 'SpansPage'),
  page<AnalyticsSearch>()('/analytics', () => import('../pages/analytics/analytics-page.js'), 'AnalyticsPage'),
  page()('/boards', () => import('../pages/boards/boards-page.js'), 'BoardsPage'),
  page()('/boards/$id', () => import('../pages/board/board-page.js'), 'BoardPage'),
  page<{ tab?: 'channels' }>()('/alerts', () => import('../pages/alerts/alerts-page.js'), 'AlertsPage'),
  page()('/alerts/$id', () => import('../pages/alert/alert-page.js'), 'AlertPage'),
  page<ListSearch>()('/datasets', () => import('../pages/datasets/datasets-page.js'), 'DatasetsPage'),
  page<DatasetSearch>()('/datasets/$id', () => import('../pages/dataset/dataset-page.js'), 'DatasetPage'),
  page()('/datasets/$id/datapoints/$dp', () => import('../pages/datapoint/datapoint-page.js'), 'DatapointPage'),
  page()('/scoring-rules', () => import('../pages/scoring-rules/scoring-rules-page.js'), 'ScoringRulesPage'),
  page()('/scoring-rules/$id', () => import('../pages/scoring-rule/scoring-rule-page.js'), 'ScoringRulePage'),
  createRoute({
    ...at('/try'),
    ...search<TrySearch>(),
    beforeLoad: ({ search: asked }) => {
      throw redirect({ to: '/try/$id', params: { id: newTraceId() }, search: asked, replace: true });
    },
  }),
  page<TrySearch>()('/try/$id', () => import('../pages/try/try-page.js'), 'TryPage'),
  page()('/connections', () => import('../pages/connections/connections-page.js'), 'ConnectionsPage'),
  page()('/review', () => import('../pages/review/review-page.js'), 'ReviewPage'),
  page<ReviewSearch>()('/review/$id', () => import('../pages/review-queue/review-queue-page.js'), 'ReviewQueuePage'),
  page<EventsSearch>()('/events', () => import('../pages/events/events-page.js'), 'EventsPage'),
  page<ListSearch>()('/evaluations', () => import('../pages/evaluations/evaluations-page.js'), 'EvaluationsPage'),
  page<NewEvaluationSearch>()(
    '/evaluations/new',
    () => import('../pages/new-evaluation/new-evaluation-page.js'),
    'NewEvaluationPage',
  ),
  page<CompareSearch>()('/evaluations/compare', () => import('../pages/compare/compare-page.js'), 'ComparePage'),
  page<RunSearch>()('/evaluations/$id', () => import('../pages/evaluation/run-page.js'), 'RunPage'),
  page()('/settings', () => import('../pages/settings/settings-page.js'), 'SettingsPage'),
  page()('/sign-in', () => import('../pages/sign-in/sign-in-page.js'), 'SignInPage'),
] as const;

/** The pages by their addresses. */
export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: root.addChildren(pages),
    basepath: BASE || '/',
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

/** A page that broke while it was drawn. The shell and the other pages work. */
function PageFault({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = (): void => {
    reset();
    void router.invalidate();
  };
  return (
    <>
      <PageHeading title="Something went wrong" />
      <FaultNotice title="This page could not be shown" error={asError(error)} onRetry={retry} />
    </>
  );
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
