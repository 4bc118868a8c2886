import type { BrowserSessionResource } from '@spandrel/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { readBrowserSession } from '../api/browser-session.js';
import { goToSignIn } from '../api/go-to-sign-in.js';
import { BROWSER_SESSION } from '../features/sign-in/use-browser-session.js';
import { hearOtherTabs } from '../features/sign-in/other-tabs.js';
import { useLiveState } from '../live/live-updates.js';

/**
 * Looks after the session of the tab: another tab may sign in or out, the session may end, and Back may show a page of an
 * earlier one (docs/spec/dashboard-settings.md#one-credential-a-browser). A tab never goes on with another project than it began with.
 */
export function useSessionWatch(session: BrowserSessionResource): void {
  const queryClient = useQueryClient();
  const isRefused = session.mode === 'cloud' && !session.scopes.includes('read');
  const isLive = useLiveState(undefined, isRefused) === 'live';
  const wasLive = useRef(false);
  useEffect(() => {
    const look = async (): Promise<void> => {
      // A server that does not answer says nothing about the session.
      const now = await readBrowserSession().catch(() => session);
      if (!now.signed_in) goToSignIn();
      else if (now.project?.id !== session.project?.id) goToSignIn('stopped');
      else queryClient.setQueryData(BROWSER_SESSION.queryKey, now);
    };
    // The stream ends with the session, and is refused from then on.
    if (wasLive.current && !isLive) void look();
    wasLive.current = isLive;
    const lookAtShown = (event: PageTransitionEvent): void => void (event.persisted && look());
    addEventListener('pageshow', lookAtShown);
    const unhear = hearOtherTabs(() => void look());
    return () => {
      removeEventListener('pageshow', lookAtShown);
      unhear();
    };
  }, [session, isLive, queryClient]);
}
