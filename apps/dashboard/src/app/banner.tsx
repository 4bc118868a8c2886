import type { BrowserSessionResource } from '@spandrel/contract';
import { Link } from '@tanstack/react-router';
import { Icon } from '../components/icon.js';
import { useLiveState } from '../live/live-updates.js';
import { useIdle } from '../components/hooks.js';
import styles from './shell.module.css';
import { DialogButton, lazyPart } from '../components/lazy-part.js';

const Account = lazyPart(async () => (await import('./account.js')).Account);
const ShortcutDialog = lazyPart(async () => (await import('./shortcut-dialog.js')).ShortcutDialog);

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
const CommandDialog = lazyPart(async () => (await loadDialog()).CommandDialog);

function CommandMenu() {
  if (useIdle()) void loadDialog();
  return (
    <DialogButton
      {...{ icon: 'command', shrinks: true, shortcut: 'Ctrl K', 'aria-keyshortcuts': 'Control+K Meta+K' }}
      command={{ keys: 'mod+k', label: 'Command menu', group: 'Everywhere' }}
      dialog={(close) => <CommandDialog onClose={close} />}
    >
      Command menu
    </DialogButton>
  );
}

