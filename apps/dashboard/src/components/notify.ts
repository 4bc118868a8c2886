import type { ReactNode } from 'react';
import { Store, useStore } from './store.js';

/** Something that happened, shown once. */
export interface Notification {
  id: number;
  /** An alert interrupts a screen reader, a status waits for a pause. */
  role: 'status' | 'alert';
  title: string;
  detail?: ReactNode;
  /** Stable name of an error, and the request in the server's log. */
  facts?: string;
  /** A link or a button, such as the opposite of what was done. */
  action?: ReactNode;
  /** Whether it goes by itself after a while. An error stays until it was read, an action until another page is open. */
  isPassing: boolean;
  /** Whether it stays for as long as something goes on. */
  isLasting?: boolean;
}

const SHOWN_MAX = 4;

/** The notifications on screen, oldest first. */
export class NotificationList extends Store<readonly Notification[]> {
  private lastId = 0;

  constructor() {
    super([]);
  }

  /** @returns its id, by which it is taken away. */
  add(notification: Omit<Notification, 'id' | 'isPassing'>): number {
    const id = ++this.lastId;
    const isPassing = notification.role === 'status' && notification.action === undefined;
    this.set([...this.get(), { ...notification, id, isPassing }].slice(-SHOWN_MAX));
    return id;
  }

  /** Lets all go by themselves but errors. */
  letPass(): void {
    if (this.get().some(isKept))
      this.set(this.get().map((shown) => (isKept(shown) ? { ...shown, isPassing: true } : shown)));
  }

  /** Changes one, unless it was dismissed. */
  change(id: number, changes: Partial<Notification>): void {
    this.set(this.get().map((shown) => (shown.id === id ? { ...shown, ...changes } : shown)));
  }

  dismiss(id: number): void {
    this.set(this.get().filter((notification) => notification.id !== id));
  }
}

/** Whether it is kept for its action alone. */
const isKept = ({ role, isPassing, isLasting }: Notification): boolean =>
  role === 'status' && !isPassing && isLasting !== true;

const notifications = new NotificationList();

interface Reported {
  detail?: string;
  code?: string;
  requestId?: string | null;
}

/** Says that something was done. @param action its opposite, or a link to what was made. */
export function notify(title: string, action?: ReactNode): void {
  notifications.add({ role: 'status', title, action });
}

/** Says that something goes on, from the first `show` until `end`. */
export function notifyLasting() {
  let id: number | undefined;
  return {
    show: (now: Pick<Notification, 'title' | 'detail' | 'action'>): void => {
      if (id === undefined) id = notifications.add({ role: 'status', isLasting: true, ...now });
      else notifications.change(id, now);
    },
    end: (): void => notifications.dismiss(id ?? 0),
  };
}

/** What is said of an error below its title: what the server said, its stable name and the request in the server's log. */
export function describeFault({ detail, message, code, requestId }: Error & Reported) {
  return { detail: detail ?? message, facts: [code, requestId && `request ${requestId}`].filter(Boolean).join(' · ') };
}

/** Says that something could not be done, with what the server says of it. @param title `The trace could not be deleted`. */
export function notifyError(title: string, error: Error & Reported): void {
  notifications.add({ role: 'alert', title, ...describeFault(error) });
}

export function dismissNotification(id: number): void {
  notifications.dismiss(id);
}

/** To be called when another page is opened: what was said on the one before goes by itself. */
export function letNotificationsPass(): void {
  notifications.letPass();
}

export const useNotifications = (): readonly Notification[] => useStore(notifications);
