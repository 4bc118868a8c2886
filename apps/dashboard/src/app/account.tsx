import type { BrowserSessionResource } from '@spandrel/contract';
import { useEffect, useRef, useState } from 'react';
import { signOut } from '../api/browser-session.js';
import { goToSignIn } from '../api/go-to-sign-in.js';
import { ButtonMenu, ButtonMenuItem } from '../components/button-menu.js';
import { notifyError } from '../components/notifications/notify.js';
import { tellOtherTabs } from '../features/sign-in/other-tabs.js';
import { SwitchProjectItems } from './switch-project.js';
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
      const { continue_at: there } = await signOut();
      tellOtherTabs();
      if (there === null) goToSignIn();
      else location.assign(there);
    } catch (error) {
      notifyError('You could not be signed out', error as Error);
    }
  };
  return (
    <div ref={container} className={styles.account}>
      {session.org && session.project && (
        <span className={styles.where}>
          <bdi>{session.org.name}</bdi> / <bdi>{session.project.name}</bdi>
        </span>
      )}
      {session.scopes.includes('read') && !session.scopes.includes('write') && (
        <span className={styles.readOnly}>{session.scopes.includes('review') ? 'Reviewer' : 'Read only'}</span>
      )}
      <ButtonMenu label="Account" align="end" container={container} onOpenChange={setIsOpen}>
        <SwitchProjectItems session={session} />
        <ButtonMenuItem onClick={() => void leave()}>Sign out</ButtonMenuItem>
      </ButtonMenu>
    </div>
  );
}
