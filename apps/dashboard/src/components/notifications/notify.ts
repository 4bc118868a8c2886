import { useSyncExternalStore, type ReactNode } from 'react';
import { NotificationList, type Notification } from './notification-list.js';

const notifications = new NotificationList();

/** What an error of a call tells, apart from its message. */
interface Told {
  detail?: string;
  code?: string;
  requestId?: string | null;
}

/** Tells that something was done. @param action its opposite, or a link to what was made. */
export function notify(title: string, action?: ReactNode): void {
  notifications.add({ role: 'status', title, action });
}

/** Tells that something could not be done, with what the server says of it. @param title `The trace could not be deleted`. */
export function notifyError(title: string, error: Error & Told): void {
  notifications.add({
    role: 'alert',
    title,
    detail: error.detail ?? error.message,
    code: error.code,
    requestId: error.requestId ?? undefined,
  });
}

export function dismissNotification(id: number): void {
  notifications.dismiss(id);
}

/** To be called when another page is opened: what was said on the one before goes by itself. */
export function letNotificationsPass(): void {
  notifications.letPass();
}

export function useNotifications(): readonly Notification[] {
  return useSyncExternalStore(notifications.subscribe, notifications.list);
}
