import type { BrowserSessionResource } from '@spandrel/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { readBrowserSession } from '../api/browser-session.js';
import { goToSignIn } from '../api/go-to-sign-in.js';
import { BROWSER_SESSION } from '../features/sign-in/use-browser-session.js';
import { hearOtherTabs } from '../features/sign-in/other-tabs.js';
import { SessionLook } from '../features/sign-in/session-look.js';
import { browserParts } from '../live/browser-parts.js';
import { hearLiveRefusals, useLiveState } from '../live/live-updates.js';

/**
 * Looks after the session of the tab: another tab may sign in or out, the session may end, and Back may show a page of an
 * earlier one (docs/spec/dashboard-settings.md#one-credential-a-browser). A tab never goes on with another project than it began with.
 */
export function useSessionWatch(session: BrowserSessionResource): void {
  const queryClient = useQueryClient();
  const isRefused = session.mode === 'cloud' && !session.scopes.includes('read');
  const isLive = useLiveState(undefined, isRefused) === 'live';
  const wasLive = useRef(false);
  const current = useRef<SessionLook | null>(null);
  useEffect(() => {
    const watch = new SessionLook({
      read: readBrowserSession,
      later: browserParts.later,
      told: (now) => {
        if (!now.signed_in) goToSignIn();
        else if (now.project?.id !== session.project?.id) goToSignIn('stopped');
        else queryClient.setQueryData(BROWSER_SESSION.queryKey, now);
      },
    });
    current.current = watch;
    const lookAtShown = (event: PageTransitionEvent): void => void (event.persisted && watch.look());
    addEventListener('pageshow', lookAtShown);
    const unhear = [hearOtherTabs(() => watch.look()), hearLiveRefusals(() => watch.look())];
    return () => {
      watch.end();
      removeEventListener('pageshow', lookAtShown);
      for (const end of unhear) end();
    };
  }, [session, queryClient]);
  useEffect(() => {
    // The stream ends with the session, and is refused from then on: also one that was not open yet.
    if (wasLive.current && !isLive) current.current?.look();
    wasLive.current = isLive;
  }, [isLive]);
}
