import {
  notifyManager,
  QueryClient,
  type Query,
  type InvalidateOptions,
  type InvalidateQueryFilters,
} from '@tanstack/react-query';
import { shouldRetry, retryDelayMs } from './api-error.js';

// A button that sends is turned off before the next key or press comes: a timer may come after it.
notifyManager.setScheduler(queueMicrotask);

/** Keeps what was read of the API. Live updates say when something changed. */
export class DashboardQueryClient extends QueryClient {
  constructor() {
    super({
      defaultOptions: {
        queries: { retry: shouldRetry, retryDelay: retryDelayMs, staleTime: 30_000 },
        mutations: { retry: false },
      },
    });
  }

  /**
   * Reads again. An answer that is under way and not asked for once more, as with `cancelRefetch: false`, is waited for: it may
   * be older than what changed.
   */
  override async invalidateQueries(filters: InvalidateQueryFilters = {}, options?: InvalidateOptions): Promise<void> {
    const isCancelled = filters.refetchType !== 'none' && options?.cancelRefetch !== false;
    const isAskedAgain = (query: Query): boolean => isCancelled && query.state.data !== undefined && query.isActive();
    const older = this.getQueryCache()
      .findAll(filters as never)
      .filter((query) => query.state.fetchStatus === 'fetching' && !isAskedAgain(query));
    const answers = older.map(({ promise }) => promise);
    await super.invalidateQueries(filters as never, options);
    await Promise.allSettled(answers);
    const once = older.map(({ queryKey }) => ({ ...filters, queryKey, exact: true }));
    await Promise.all(once.map((which) => super.invalidateQueries(which as never, options)));
  }
}
