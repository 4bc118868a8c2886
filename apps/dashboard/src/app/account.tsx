import type { BrowserSessionResource } from '@spandrel/contract';
import { signOut } from '../api/browser-session.js';
import { goToSignIn } from '../api/go-to-sign-in.js';
import { Button } from '../components/button.js';
import { notifyError } from '../components/notifications/notify.js';
import { tellOtherTabs } from '../features/sign-in/other-tabs.js';
import { useSessionWatch } from './use-session-watch.js';
import styles from './account.module.css';

/** Organization and project that the browser is signed in to, and the way out. Cloud mode. */
export function Account({ session }: { session: BrowserSessionResource }) {
  useSessionWatch(session);
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
    <div className={styles.account}>
      {session.org && session.project && (
        <span className={styles.where}>
          <bdi>{session.org.name}</bdi> / <bdi>{session.project.name}</bdi>
        </span>
      )}
      {session.scopes.includes('read') && !session.scopes.includes('write') && (
        <span className={styles.readOnly}>Read only</span>
      )}
      <Button icon="leave" shrinks onClick={() => void leave()}>
        Sign out
      </Button>
    </div>
  );
}
