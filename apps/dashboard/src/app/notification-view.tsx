import { useEffect } from 'react';
import { Button } from '../components/button.js';
import { dismissNotification, type Notification } from '../components/notify.js';
import { copyAs } from '../components/save-text.js';
import styles from './notifications.module.css';

const PASSING_MS = 8_000;

/** One of the notifications, which goes by itself where it passes. */
export function NotificationView({ notification }: { notification: Notification }) {
  const { id, role, title, detail, facts, action, isPassing, isLasting } = notification;
  useEffect(() => {
    if (!isPassing) return undefined;
    const timer = setTimeout(() => dismissNotification(id), PASSING_MS);
    return () => clearTimeout(timer);
  }, [id, isPassing]);
  return (
    <div className={styles.notification} data-role={role}>
      <div role={role} className={styles.words}>
        <p className={styles.title}>{title}</p>
        {detail !== undefined && <p>{detail}</p>}
        {facts && <p className={styles.facts}>{facts}</p>}
      </div>
      <div className={styles.buttons}>
        {action !== undefined && (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the link inside takes keys
          <span className={styles.buttons} onClick={() => isLasting || dismissNotification(id)}>
            {action}
          </span>
        )}
        {role === 'alert' && (
          <Button onClick={() => void copyAs('the error', [title, detail, facts].filter(Boolean).join('\n'))}>
            Copy
          </Button>
        )}
        <Button variant="quiet" icon="close" iconOnly onClick={() => dismissNotification(id)}>
          Dismiss
        </Button>
      </div>
    </div>
  );
}
