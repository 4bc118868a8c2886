import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { letNotificationsPass, useNotifications } from '../components/notify.js';
import { useShortcuts } from '../components/shortcuts/use-shortcuts.js';
import styles from './notifications.module.css';
import { lazyPart } from '../components/lazy-part.js';

const NotificationView = lazyPart(async () => (await import('./notification-view.js')).NotificationView);

/** What happened, in the corner. */
export function Notifications() {
  const notifications = useNotifications();
  const { pathname } = useLocation();
  useEffect(letNotificationsPass, [pathname]);
  const region = useRef<HTMLElement>(null);
  const goTo = (): void => region.current?.querySelector<HTMLElement>(':scope > :last-child :is(a, button)')?.focus();
  useShortcuts([{ keys: 'g n', label: 'Go to the last notification', group: 'Everywhere', run: goTo }]);
  return (
    <section ref={region} aria-label="Notifications" className={styles.region}>
      {notifications.map((notification) => (
        <NotificationView key={notification.id} notification={notification} />
      ))}
    </section>
  );
}
