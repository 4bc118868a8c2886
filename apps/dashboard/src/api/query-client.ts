import { QueryClient, type InvalidateOptions, type InvalidateQueryFilters } from '@tanstack/react-query';
import { shouldRetry, retryDelayMs } from './api-error.js';

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

  /** Reads again. A first answer that is under way is waited for: it may be older than what changed. */
  override async invalidateQueries(filters: InvalidateQueryFilters = {}, options?: InvalidateOptions): Promise<void> {
    const unread = this.getQueryCache()
      .findAll(filters as never)
      .filter(({ state }) => state.data === undefined && state.fetchStatus === 'fetching');
    await super.invalidateQueries(filters as never, options);
    await Promise.all(
      unread.map(({ queryKey }) => super.invalidateQueries({ queryKey, exact: true } as never, options)),
    );
  }
}
