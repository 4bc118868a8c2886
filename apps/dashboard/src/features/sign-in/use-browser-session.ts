import type { BrowserSessionResource } from '@spandrel/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { readBrowserSession } from '../../api/browser-session.js';

/** Who is signed in, asked once; no page waits for a server that does not say. */
export const BROWSER_SESSION = queryOptions({
  queryKey: ['browser-session'],
  queryFn: readBrowserSession,
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** @returns `undefined` until it is known, and where the server does not say. */
export function useBrowserSession(): BrowserSessionResource | undefined {
  return useQuery(BROWSER_SESSION).data;
}
