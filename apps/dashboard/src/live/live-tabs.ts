import type { LiveBatch, LiveMessage, LiveState } from './live-event.js';

/** Sends a message to one tab. */
export type Report = (message: LiveMessage) => void;

interface Tab {
  isVisible: boolean;
  /** Whether batches came while nobody looked at it. */
  hasMissed: boolean;
}

const MISSED: LiveBatch = { events: [], hasMissed: true };

/** The tabs that share a stream. Those that nobody looks at are notified when they are looked at again that they missed something. */
export class LiveTabs {
  private readonly tabs = new Map<Report, Tab>();

  get isEmpty(): boolean {
    return this.tabs.size === 0;
  }

  add(report: Report, isVisible: boolean, state: LiveState): void {
    this.tabs.set(report, { isVisible, hasMissed: false });
    report({ kind: 'state', state });
  }

  remove(report: Report): void {
    this.tabs.delete(report);
  }

  changeVisibility(report: Report, isVisible: boolean): void {
    const tab = this.tabs.get(report);
    if (tab === undefined) return;
    tab.isVisible = isVisible;
    if (!isVisible || !tab.hasMissed) return;
    tab.hasMissed = false;
    report({ kind: 'batch', batch: MISSED });
  }

  /** Hands a message on to who looks. */
  report(message: LiveMessage): void {
    for (const [report, tab] of this.tabs) {
      if (message.kind !== 'batch' || tab.isVisible) report(message);
      else tab.hasMissed = true;
    }
  }
}
