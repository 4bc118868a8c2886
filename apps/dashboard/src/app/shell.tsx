import type { BrowserSessionResource } from '@spandrel/contract';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { goToSignIn, SIGN_IN } from '../api/go-to-sign-in.js';
import { isNotFound } from '../api/api-error.js';
import { SHARE_TOKEN } from '../api/share-token.js';
import { MayReview, MayWrite, Button } from '../components/button.js';
import { lazyPart, DialogButton } from '../components/lazy-part.js';
import { EmptyState, PageHeading } from '../components/page-parts.js';
import { useShortcutKeys, useShortcuts } from '../components/shortcuts/use-shortcuts.js';
import { BROWSER_SESSION } from '../features/browser-session.js';
import { hasOwnAddress, leadToOwnAddress } from '../features/projects.js';
import { TracePeek } from '../features/list/trace-peek.js';
import { Notifications } from './notifications.js';
import { useNotedVisits } from './use-visits.js';
import styles from './shell.module.css';
import { Icon, type IconName } from '../components/icon.js';
import { useLiveState } from '../live/live-updates.js';
import { useIdle } from '../components/hooks.js';

const LazyTracePeek = lazyPart(async () => (await import('../pages/trace/trace-peek.js')).TracePeekRegion);

/** What is around every page. In cloud mode no page is drawn for nobody: all that it would ask for is refused. */
export function Shell() {
  const isOutside = useLocation().pathname === SIGN_IN || SHARE_TOKEN !== null;
  const { data: session, isFetched, error } = useQuery(BROWSER_SESSION);
  const isNobody = session?.mode === 'cloud' && !session.signed_in;
  const isOnTheWay = isNobody || (session !== undefined && !hasOwnAddress(session));
  useEffect(() => {
    if (!isOnTheWay || isOutside) return;
    if (isNobody) goToSignIn();
    else void leadToOwnAddress(session);
  }, [isNobody, isOnTheWay, isOutside, session]);
  const isElsewhere = isNotFound(error);
  const lost = isElsewhere && !isOutside ? session : undefined;
  useEffect(() => {
    // Nothing that the session was shown stays; the page of a person begins with saying so.
    if (lost?.kind === 'person') location.reload();
    else if (lost !== undefined) goToSignIn();
  }, [lost]);
  if (isOutside) return <Outlet />;
  const mayWrite = session?.mode !== 'cloud' || session.scopes.includes('write');
  return (
    <MayWrite value={mayWrite}>
      <MayReview value={mayWrite || session.scopes.includes('review')}>
        <TracePeek value={LazyTracePeek}>
          <Frame session={session} isOpen={isFetched && !isOnTheWay && !isElsewhere} isElsewhere={isElsewhere} />
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

function OtherProject() {
  return (
    <>
      <PageHeading title="Another project" />
      <EmptyState title="This link leads to another project" action={<a href="/traces">Go to your traces</a>}>
        <p>
          You may not read that project, or not any more, or it was deleted. Ask its administrator, or{' '}
          <a href={`${SIGN_IN}?next=${encodeURIComponent(location.pathname)}`}>sign in with a key of it</a>.
        </p>
      </EmptyState>
    </>
  );
}

interface FrameProps {
  session: BrowserSessionResource | undefined;
  isOpen: boolean;
  /** Whether the project of the address is one that may not be read. */
  isElsewhere: boolean;
}

function Frame({ session, isOpen, isElsewhere }: FrameProps) {
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
        {isElsewhere && <OtherProject />}
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

const PAGE_LINKS = [
  { to: '/traces', label: 'Traces', keys: 'g t', icon: 'traces' },
  { to: '/sessions', label: 'Sessions', keys: 'g s', icon: 'sessions' },
  { to: '/users', label: 'Users', keys: 'g u', icon: 'users' },
  { to: '/spans', label: 'Spans', keys: 'g p', icon: 'spans' },
  { to: '/analytics', label: 'Analytics', keys: 'g a', icon: 'analytics' },
  { to: '/boards', label: 'Boards', keys: 'g b', icon: 'columns' },
  { to: '/alerts', label: 'Alerts', keys: 'g l', icon: 'bell' },
  { to: '/datasets', label: 'Datasets', keys: 'g d', icon: 'table' },
  { to: '/evaluations', label: 'Evaluations', keys: 'g e', icon: 'evaluations' },
  { to: '/review', label: 'Review', keys: 'g r', icon: 'check' },
  { to: '/scoring-rules', label: 'Scoring rules', keys: 'g o', icon: 'scoring' },
  { to: '/connections', label: 'Connections', keys: 'g c', icon: 'connections' },
  { to: '/events', label: 'Events', keys: 'g v', icon: 'live' },
  { to: '/settings', label: 'Settings', keys: 'g ,', icon: 'settings' },
] as const satisfies readonly PageLink[];

interface PageLink {
  to: string;
  label: string;
  /** One key after the other that leads there. */
  keys: string;
  icon: IconName;
}

/** Links to the pages. On narrow screens they are behind a button. */
function Navigation() {
  const navigate = useNavigate();
  const [isOpen, setIsOpen] = useState(false);
  const close = (): void => setIsOpen(false);
  useShortcuts(
    PAGE_LINKS.map(({ to, label, keys }) => ({
      keys,
      label: `Go to ${label}`,
      group: 'Pages',
      run: () => void navigate({ to }),
    })),
  );
  return (
    // The key is heard here wherever inside the focus is.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <nav
      aria-label="Main"
      className={styles.navigation}
      data-open={isOpen || undefined}
      onKeyDown={({ key }) => key === 'Escape' && close()}
    >
      <Button icon="menu" className={styles.menu} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        Menu
      </Button>
      <ul>
        {PAGE_LINKS.map(({ to, label, keys, icon }) => (
          <li key={to}>
            <Link to={to} activeOptions={{ includeSearch: false }} className={styles.pageLink} onClick={close}>
              <Icon name={icon} />
              {label}
              <kbd aria-hidden="true">{keys}</kbd>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const Account = lazyPart(async () => (await import('./account.js')).Account);
const ShortcutDialog = lazyPart(async () => (await import('./shortcut-dialog.js')).ShortcutDialog);

interface BannerProps {
  session: BrowserSessionResource | undefined;
  /** Whether it is known who is signed in, so that the server can be asked. */
  isOpen: boolean;
}

/** The line above every page. */
function Banner({ session, isOpen }: BannerProps) {
  const mayRead = session?.mode !== 'cloud' || session.scopes.includes('read');
  return (
    <header className={styles.banner}>
      <Link to="/traces" className={styles.brand}>
        <img src="/icon.svg" alt="" width={20} height={20} />
        Spandrel
      </Link>
      <span className={styles.spacer} />
      {isOpen && mayRead && <LiveStatus />}
      <CommandMenu />
      <DialogButton
        {...{ icon: 'keyboard', shrinks: true, shortcut: '?' }}
        command={{ keys: '?', label: 'Keyboard shortcuts', group: 'Everywhere' }}
        dialog={(close) => <ShortcutDialog onClose={close} />}
      >
        Keyboard shortcuts
      </DialogButton>
      {isOpen && session?.mode === 'cloud' && <Account session={session} />}
    </header>
  );
}

const WORDS = { live: 'Connected', reconnecting: 'Reconnecting', offline: 'Offline' } as const;

/** Whether the pages hear of changes. */
function LiveStatus() {
  const state = useLiveState();
  return (
    <span role="status" aria-label="Live updates" className={styles.live} data-state={state}>
      <Icon name="live" />
      {WORDS[state]}
    </span>
  );
}

const loadDialog = () => import('./command-dialog.js');
const CommandDialog = lazyPart(async () => (await loadDialog()).CommandDialog);

function CommandMenu() {
  if (useIdle()) void loadDialog();
  return (
    <DialogButton
      {...{ icon: 'command', shrinks: true, shortcut: 'mod+k' }}
      command={{ keys: 'mod+k', label: 'Command menu', group: 'Everywhere' }}
      dialog={(close) => <CommandDialog onClose={close} />}
    >
      Command menu
    </DialogButton>
  );
}
