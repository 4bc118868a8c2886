import { MISSED, type LiveMessage, type LiveState } from './live-event.js';

export type SendMessage = (message: LiveMessage) => void;

interface Tab {
  isVisible: boolean;
  /** Whether batches came while nobody looked at it. */
  hasMissed: boolean;
}

/** The tabs that share a stream. Those that nobody looks at learn when they are looked at again that they missed something. */
export class LiveTabs {
  private readonly tabs = new Map<SendMessage, Tab>();

  get isEmpty(): boolean {
    return this.tabs.size === 0;
  }

  /** A tab that comes later has read before it heard; where the stream is not open yet, its opening says so. */
  add(send: SendMessage, isVisible: boolean, state: LiveState): void {
    const isLate = state === 'live';
    this.tabs.set(send, { isVisible, hasMissed: isLate && !isVisible });
    send({ kind: 'state', state });
    if (isLate && isVisible) send({ kind: 'batch', batch: MISSED });
  }

  remove(send: SendMessage): void {
    this.tabs.delete(send);
  }

  changeVisibility(send: SendMessage, isVisible: boolean): void {
    const tab = this.tabs.get(send);
    if (tab === undefined) return;
    tab.isVisible = isVisible;
    if (!isVisible || !tab.hasMissed) return;
    tab.hasMissed = false;
    send({ kind: 'batch', batch: MISSED });
  }

  /** Hands a message on to who looks. */
  send(message: LiveMessage): void {
    for (const [send, tab] of this.tabs) {
      if (message.kind !== 'batch' || tab.isVisible) send(message);
      else tab.hasMissed = true;
    }
  }
}
