import { useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { letNotificationsPass, useNotifications } from '../components/notify.js';
import styles from './notifications.module.css';

const NotificationView = lazy(async () => ({ default: (await import('./notification-view.js')).NotificationView }));

/** What happened, in the corner. */
export function Notifications() {
  const notifications = useNotifications();
  const { pathname } = useLocation();
  useEffect(letNotificationsPass, [pathname]);
  return (
    <section aria-label="Notifications" className={styles.region}>
      <Suspense fallback={null}>
        {notifications.map((notification) => (
          <NotificationView key={notification.id} notification={notification} />
        ))}
      </Suspense>
    </section>
  );
}
