import type { BrowserSessionResource } from '@spandrel/contract';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { CommandMenu } from './command-menu.js';
import { LiveStatus } from './live-status.js';
import { ShortcutList } from './shortcut-list.js';
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
