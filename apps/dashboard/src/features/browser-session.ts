import type { BrowserSessionResource, CapabilitiesResource } from '@spandrel/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { BASE } from '../api/project-base.js';
import { api } from '../api/api.js';
import { isNotFound } from '../api/api-error.js';
import { firstKeys } from '../api/first-keys.js';
import { SHARE_TOKEN } from '../api/share-token.js';
import { readStored, store } from '../components/storage.js';

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

const CHANNEL = 'spandrel.session';

const LEFT_TO_SIGN_IN = 'spandrel.signing-in';

/** Keeps that this browser goes to the identity provider: the page that it comes back to notifies the tabs that wait. */
export const noteSignIn = (): void => store(LEFT_TO_SIGN_IN, 'yes');

/** {@link notifyOtherTabs} where somebody has come back from the identity provider. */
export function notifyOfSignIn(): void {
  if (!readStored(LEFT_TO_SIGN_IN)) return;
  store(LEFT_TO_SIGN_IN, '');
  notifyOtherTabs();
}

/** Notifies the other tabs of this browser that somebody signed in or out. */
export function notifyOtherTabs(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('changed');
  channel.close();
}

/** Calls back when another tab signed in or out. @returns ends that. */
export function onOtherTabs(onChange: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = onChange;
  return () => channel.close();
}
