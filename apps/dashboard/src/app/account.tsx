import type { BrowserSessionResource } from '@spandrel/contract';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/api.js';
import { goToSignIn } from '../api/go-to-sign-in.js';
import { ButtonMenu, ButtonMenuItem, ButtonMenuLink } from '../components/button-menu.js';
import { notifyError } from '../components/notify.js';
import { useShortcutList } from '../components/shortcuts/use-shortcuts.js';
import { lastOpenedFirst, noteProject, projectAddress, SESSION_PROJECTS } from '../features/projects.js';
import { BROWSER_SESSION, notifyOfSignIn, notifyOtherTabs, onOtherTabs } from '../features/browser-session.js';
import { onLiveRefusal, useLiveState } from '../live/live-updates.js';
import styles from './account.module.css';

/** Organization and project that the browser is signed in to, and the way out. Cloud mode. */
export function Account({ session }: { session: BrowserSessionResource }) {
  const container = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  useSessionWatch(session);
  const here = session.project?.id;
  useEffect(() => {
    notifyOfSignIn();
    if (here !== undefined) noteProject(here);
  }, [here]);
  // The menu covers a part of the page, which cannot be used meanwhile anyway.
  useEffect(() => {
    if (!isOpen) return undefined;
    const main = document.querySelector('main');
    main?.setAttribute('inert', '');
    return () => main?.removeAttribute('inert');
  }, [isOpen]);
  const leave = async (): Promise<void> => {
    try {
      const { continue_at: there } = await api.deleteBrowserSession();
      notifyOtherTabs();
      if (there === null) goToSignIn();
      else location.assign(there);
    } catch (error) {
      notifyError('You could not be signed out', error as Error);
    }
  };
  const who = session.person?.email ?? session.person?.name ?? undefined;
  return (
    <div ref={container} className={styles.account}>
      {session.org && session.project && (
        <span className={styles.where} title={`${session.org.name} / ${session.project.name}`}>
          <bdi>{session.org.name}</bdi> / <bdi>{session.project.name}</bdi>
        </span>
      )}
      {session.scopes.includes('read') && !session.scopes.includes('write') && (
        <span className={styles.readOnly}>{session.scopes.includes('review') ? 'Reviewer' : 'Read only'}</span>
      )}
      <ButtonMenu label="Account" align="end" container={container} onOpenChange={setIsOpen}>
        <SwitchProjectItems session={session} />
        <ButtonMenuItem onClick={() => void leave()}>Sign out{who === undefined ? '' : `, ${who}`}</ButtonMenuItem>
      </ButtonMenu>
    </div>
  );
}

/** Projects that the menu has at once; the command menu finds all by name. */
const SHOWN_MAX = 8;

/** Entries of the account menu that lead a person to their other projects, those opened last first. */
function SwitchProjectItems({ session }: { session: BrowserSessionResource }) {
  const { data } = useQuery({
    ...SESSION_PROJECTS,
    enabled: session.kind === 'person',
  });
  const search = useShortcutList().find(({ keys: pressed }) => pressed === 'mod+k');
  const others = lastOpenedFirst(data?.projects ?? []).filter(({ id }) => id !== session.project?.id);
  return (
    <>
      {others.slice(0, SHOWN_MAX).map((project) => (
        <ButtonMenuLink key={project.id} href={projectAddress(project.id)}>
          Open <bdi>{project.org.name}</bdi> / <bdi>{project.name}</bdi>
        </ButtonMenuLink>
      ))}
      {others.length > SHOWN_MAX && (
        <ButtonMenuItem onClick={() => search?.run()}>Find one of {others.length} projects</ButtonMenuItem>
      )}
    </>
  );
}

/**
 * Looks after the session of the tab: another tab may sign in or out, the session may end, and Back may show a page of an
 * earlier one (docs/spec/dashboard-settings.md#several-projects-in-one-browser). A tab stays in the project of its address.
 */
function useSessionWatch(session: BrowserSessionResource): void {
  const queryClient = useQueryClient();
  const isRefused = session.mode === 'cloud' && !session.scopes.includes('read');
  const isLive = useLiveState(isRefused) === 'live';
  const wasLive = useRef(false);
  const look = useCallback(
    () => void queryClient.invalidateQueries({ queryKey: BROWSER_SESSION.queryKey }),
    [queryClient],
  );
  useEffect(() => {
    const lookAtShown = (event: PageTransitionEvent): void => void (event.persisted && look());
    addEventListener('pageshow', lookAtShown);
    const unhear = [onOtherTabs(look), onLiveRefusal(look)];
    return () => {
      removeEventListener('pageshow', lookAtShown);
      for (const end of unhear) end();
    };
  }, [look]);
  useEffect(() => {
    // The stream ends with the session, and is refused from then on: also one that was not open yet.
    if (wasLive.current && !isLive) look();
    wasLive.current = isLive;
  }, [isLive, look]);
}
