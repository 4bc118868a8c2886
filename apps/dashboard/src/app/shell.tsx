import type { BrowserSessionResource } from '@spandrel/contract';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { goToSignIn, SIGN_IN } from '../api/go-to-sign-in.js';
import { SHARE_TOKEN } from '../api/share-token.js';
import { MayReview, MayWrite } from '../components/button.js';
import { lazyPart } from '../components/lazy-part.js';
import { PageHeading } from '../components/page-parts.js';
import { useShortcutKeys } from '../components/shortcuts/use-shortcuts.js';
import { BROWSER_SESSION } from '../features/browser-session.js';
import { TracePeek } from '../features/list/trace-peek.js';
import { Banner } from './banner.js';
import { Navigation } from './navigation.js';
import { Notifications } from './notifications.js';
import { useNotedVisits } from './use-visits.js';
import styles from './shell.module.css';

const LazyTracePeek = lazyPart(async () => (await import('../pages/trace/trace-peek.js')).TracePeekRegion);

/** What is around every page. In cloud mode no page is drawn for nobody: all that it would ask for is refused. */
export function Shell() {
  const isOutside = useLocation().pathname === SIGN_IN || SHARE_TOKEN !== null;
  const { data: session, isPending } = useQuery(BROWSER_SESSION);
  const isNobody = session?.mode === 'cloud' && !session.signed_in;
  useEffect(() => {
    if (isNobody && SHARE_TOKEN === null) goToSignIn();
  }, [isNobody]);
  if (isOutside) return <Outlet />;
  const mayWrite = session?.mode !== 'cloud' || session.scopes.includes('write');
  return (
    <MayWrite value={mayWrite}>
      <MayReview value={mayWrite || session.scopes.includes('review')}>
        <TracePeek value={LazyTracePeek}>
          <Frame session={session} isOpen={!isPending && !isNobody} />
        </TracePeek>
      </MayReview>
    </MayWrite>
  );
}

function NotReadable() {
  return (
    <>
      <PageHeading title="This key cannot read data" />
      <p>This key does not have the scope read. Sign out, then sign in with a key that does.</p>
    </>
  );
}

function Frame({ session, isOpen }: { session: BrowserSessionResource | undefined; isOpen: boolean }) {
  useShortcutKeys();
  useNotedVisits();
  const main = useRef<HTMLElement>(null);
  const isSettings = useLocation().pathname === '/settings';
  const isShown = isSettings || session?.mode !== 'cloud' || session.scopes.includes('read');
  useFocusOfNewPage(main);
  return (
    <div className={styles.shell}>
      <a
        href="#content"
        className={styles.skip}
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to content
      </a>
      <Banner session={session} isOpen={isOpen} />
      <Navigation />
      <main id="content" ref={main} tabIndex={-1} className={styles.main}>
        {isOpen && (isShown ? <Outlet /> : <NotReadable />)}
      </main>
      <Notifications />
    </div>
  );
}

/** A link that opened a page is gone with the page before: the focus goes to the new heading then, instead of nowhere. */
function useFocusOfNewPage(main: { readonly current: HTMLElement | null }): void {
  const { pathname } = useLocation();
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    if (document.activeElement !== null && document.activeElement !== document.body) return;
    main.current?.querySelector('h1')?.focus({ preventScroll: true });
  }, [main, pathname]);
}
