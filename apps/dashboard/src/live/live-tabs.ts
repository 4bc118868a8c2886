import type { LiveBatch, LiveMessage, LiveState } from './live-event.js';

export type SendMessage = (message: LiveMessage) => void;

interface Tab {
  isVisible: boolean;
  /** Whether batches came while nobody looked at it. */
  hasMissed: boolean;
}

const MISSED: LiveBatch = { events: [], hasMissed: true };

/** The tabs that share a stream. Those that nobody looks at learn when they are looked at again that they missed something. */
export class LiveTabs {
  private readonly tabs = new Map<SendMessage, Tab>();

  get isEmpty(): boolean {
    return this.tabs.size === 0;
  }

  add(send: SendMessage, isVisible: boolean, state: LiveState): void {
    this.tabs.set(send, { isVisible, hasMissed: false });
    send({ kind: 'state', state });
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
