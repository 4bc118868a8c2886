import { CSPProvider } from '@base-ui/react/csp-provider';
import { Menu } from '@base-ui/react/menu';
import type { BrowserSessionResource } from '@spandrel/contract';
import { useEffect, useRef, useState } from 'react';
import { signOut } from '../api/browser-session.js';
import { goToSignIn } from '../api/go-to-sign-in.js';
import { Button } from '../components/button.js';
import { notifyError } from '../components/notifications/notify.js';
import { tellOtherTabs } from '../features/sign-in/other-tabs.js';
import { useSessionWatch } from './use-session-watch.js';
import styles from './account.module.css';

/** Organization and project that the browser is signed in to, and the way out. Cloud mode. */
export function Account({ session }: { session: BrowserSessionResource }) {
  const container = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  useSessionWatch(session);
  // The menu covers a part of the page, which cannot be used meanwhile anyway.
  useEffect(() => {
    if (!isOpen) return undefined;
    const main = document.querySelector('main');
    main?.setAttribute('inert', '');
    return () => main?.removeAttribute('inert');
  }, [isOpen]);
  const leave = async (): Promise<void> => {
    try {
      await signOut();
      tellOtherTabs();
      goToSignIn();
    } catch (error) {
      notifyError('You could not be signed out', error as Error);
    }
  };
  return (
    <CSPProvider disableStyleElements>
      <div ref={container} className={styles.account}>
        {session.org && session.project && (
          <span className={styles.where}>
            <bdi>{session.org.name}</bdi> / <bdi>{session.project.name}</bdi>
          </span>
        )}
        {session.scopes.includes('read') && !session.scopes.includes('write') && (
          <span className={styles.readOnly}>Read only</span>
        )}
        <Menu.Root open={isOpen} onOpenChange={setIsOpen}>
          <Menu.Trigger render={<Button />}>Account</Menu.Trigger>
          <Menu.Portal container={container}>
            <Menu.Positioner sideOffset={4} align="end" className={styles.positioner}>
              <Menu.Popup className={styles.popup} aria-label="Account">
                <Menu.Item className={styles.item} onClick={() => void leave()}>
                  Sign out
                </Menu.Item>
              </Menu.Popup>
            </Menu.Positioner>
          </Menu.Portal>
        </Menu.Root>
      </div>
    </CSPProvider>
  );
}
