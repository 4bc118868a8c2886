import type { BrowserSessionResource } from '@spandrel/contract';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { Icon } from '../components/icon.js';
import { useLiveState } from '../live/live-updates.js';
import { Button } from '../components/button.js';
import { useShortcuts } from '../components/shortcuts/use-shortcuts.js';
import { useIdle } from '../components/hooks.js';
import styles from './shell.module.css';

const Account = lazy(async () => ({ default: (await import('./account.js')).Account }));

interface BannerProps {
  session: BrowserSessionResource | undefined;
  /** Whether it is known who is signed in, so that the server can be asked. */
  isOpen: boolean;
}

/** The line above every page. */
export function Banner({ session, isOpen }: BannerProps) {
  const mayRead = session?.mode !== 'cloud' || session.scopes.includes('read');
  return (
    <header className={styles.banner}>
      <Link to="/traces" className={styles.brand}>
        <img src="/icon.svg" alt="" width={20} height={20} />
        Spandrel
      </Link>
      <span className={styles.spacer} />
      {isOpen && mayRead && <LiveStatus audience={session?.project?.id ?? ''} />}
      <CommandMenu />
      <ShortcutList />
      {isOpen && session?.mode === 'cloud' && (
        <Suspense fallback={null}>
          <Account session={session} />
        </Suspense>
      )}
    </header>
  );
}

const WORDS = { live: 'Connected', reconnecting: 'Reconnecting', offline: 'Offline' } as const;

/** Whether the pages hear of changes. @param audience the project whose changes they are. */
function LiveStatus({ audience }: { audience: string }) {
  const state = useLiveState(audience);
  return (
    <span role="status" aria-label="Live updates" className={styles.live} data-state={state}>
      <Icon name="live" />
      {WORDS[state]}
    </span>
  );
}

const loadDialog = () => import('./command-dialog.js');
const CommandDialog = lazy(async () => ({ default: (await loadDialog()).CommandDialog }));

function CommandMenu() {
  const [isOpen, setIsOpen] = useState(false);
  useShortcuts([{ keys: 'mod+k', label: 'Command menu', group: 'Everywhere', run: () => setIsOpen(true) }]);
  if (useIdle()) void loadDialog();
  return (
    <>
      <Button
        icon="command"
        shrinks
        shortcut="Ctrl K"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setIsOpen(true)}
      >
        Command menu
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <CommandDialog onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

const ShortcutDialog = lazy(async () => ({ default: (await import('./shortcut-dialog.js')).ShortcutDialog }));

function ShortcutList() {
  const [isOpen, setIsOpen] = useState(false);
  useShortcuts([{ keys: '?', label: 'Keyboard shortcuts', group: 'Everywhere', run: () => setIsOpen(true) }]);
  return (
    <>
      <Button icon="keyboard" shrinks shortcut="?" onClick={() => setIsOpen(true)}>
        Keyboard shortcuts
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <ShortcutDialog onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
