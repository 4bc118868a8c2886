import type { BrowserSessionResource } from '@spandrel/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { readBrowserSession } from '../api/browser-session.js';
import { readCapabilities, type Capabilities } from '../api/capabilities.js';
import { keys } from '../api/keys.js';

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

const CHANNEL = 'spandrel.session';

/** Notifies the other tabs of this browser that somebody signed in or out. */
export function tellOtherTabs(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('changed');
  channel.close();
}

/** Calls back when another tab signed in or out. @returns ends that. */
export function hearOtherTabs(onChange: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = onChange;
  return () => channel.close();
}

/** What the instance can do, which does not change while it runs; `undefined` until it is known. */
export function useCapabilities(): Capabilities | undefined {
  const { data } = useQuery({
    queryKey: keys.capabilities(),
    queryFn: ({ signal }) => readCapabilities(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}
