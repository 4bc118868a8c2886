import type { LiveBatch, LiveMessage, LiveState } from './live-event.js';

/** Sends a message to one tab. */
export type Tell = (message: LiveMessage) => void;

interface Tab {
  isVisible: boolean;
  /** Whether batches came while nobody looked at it. */
  hasMissed: boolean;
}

const MISSED: LiveBatch = { events: [], hasMissed: true };

/** The tabs that share a stream. Those that nobody looks at are told when they are looked at again that they missed something. */
export class LiveTabs {
  private readonly tabs = new Map<Tell, Tab>();

  get isEmpty(): boolean {
    return this.tabs.size === 0;
  }

  add(tell: Tell, isVisible: boolean, state: LiveState): void {
    this.tabs.set(tell, { isVisible, hasMissed: false });
    tell({ kind: 'state', state });
  }

  remove(tell: Tell): void {
    this.tabs.delete(tell);
  }

  changeVisibility(tell: Tell, isVisible: boolean): void {
    const tab = this.tabs.get(tell);
    if (tab === undefined) return;
    tab.isVisible = isVisible;
    if (!isVisible || !tab.hasMissed) return;
    tab.hasMissed = false;
    tell({ kind: 'batch', batch: MISSED });
  }

  /** Hands a message on to who looks. */
  tell(message: LiveMessage): void {
    for (const [tell, tab] of this.tabs) {
      if (message.kind !== 'batch' || tab.isVisible) tell(message);
      else tab.hasMissed = true;
    }
  }
}
