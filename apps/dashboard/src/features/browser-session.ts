import type { BrowserSessionResource, CapabilitiesResource } from '@spandrel/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { BASE } from '../api/project-base.js';
import { api } from '../api/api.js';
import { isNotFound } from '../api/api-error.js';
import { firstKeys } from '../api/first-keys.js';
import { SHARE_TOKEN } from '../api/share-token.js';

/** A page's whole address to be given to others. @param address of the page, with its `/`. */
export const linkTo = (address: string): string => location.origin + BASE + address;

const AGAIN_MS = 5_000;

/** Who is signed in, asked until it is known; no page waits for a server that does not say. */
export const BROWSER_SESSION = queryOptions({
  queryKey: ['browser-session'],
  queryFn: () => api.getBrowserSession(),
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
  refetchInterval: ({ state: { error } }) => error !== null && !isNotFound(error) && AGAIN_MS,
});

/** @returns `undefined` until it is known, and where the server does not say. */
export function useBrowserSession(): BrowserSessionResource | undefined {
  return useQuery(BROWSER_SESSION).data;
}

/** Whether the server has a feature: `features:` of its settings may leave it out. @returns `undefined` until it is known. */
export const useHasFeature = (name: string): boolean | undefined => useCapabilities()?.features.includes(name);

/** What the instance can do, which does not change while it runs; `undefined` until it is known. */
export function useCapabilities(): CapabilitiesResource | undefined {
  const { data } = useQuery({
    queryKey: firstKeys.capabilities(),
    queryFn: ({ signal }) => api.getCapabilities({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: SHARE_TOKEN === null,
  });
  return data;
}
