import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { letNotificationsPass, useNotifications } from '../components/notify.js';
import styles from './notifications.module.css';
import { lazyPart } from '../components/lazy-part.js';

const NotificationView = lazyPart(async () => (await import('./notification-view.js')).NotificationView);

/** What happened, in the corner. */
export function Notifications() {
  const notifications = useNotifications();
  const { pathname } = useLocation();
  useEffect(letNotificationsPass, [pathname]);
  return (
    <section aria-label="Notifications" className={styles.region}>
      {notifications.map((notification) => (
        <NotificationView key={notification.id} notification={notification} />
      ))}
    </section>
  );
}
