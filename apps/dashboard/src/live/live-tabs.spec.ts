import { describe, expect, it } from '@jest/globals';
import type { LiveMessage } from './live-event.js';
import { LiveTabs } from './live-tabs.js';

const BATCH: LiveMessage = { kind: 'batch', batch: { events: [{ type: 'cleared' }], hasMissed: false } };
const MISSED: LiveMessage = { kind: 'batch', batch: { events: [], hasMissed: true } };
const REFUSED: LiveMessage = { kind: 'refused' };

function tabs() {
  const all = new LiveTabs();
  const seen: LiveMessage[] = [];
  const hidden: LiveMessage[] = [];
  const report = { seen: (m: LiveMessage) => void seen.push(m), hidden: (m: LiveMessage) => void hidden.push(m) };
  all.add(report.seen, true, 'live');
  all.add(report.hidden, false, 'reconnecting');
  return { all, seen, hidden, report };
}

describe('LiveTabs', () => {
  it('report the state and refusals at once, batches to who looks', () => {
    const { all, seen, hidden } = tabs();
    all.report(BATCH);
    all.report({ kind: 'state', state: 'offline' });
    all.report({ kind: 'refused' });
    expect(seen).toEqual([{ kind: 'state', state: 'live' }, BATCH, { kind: 'state', state: 'offline' }, REFUSED]);
    expect(hidden).toEqual([{ kind: 'state', state: 'reconnecting' }, { kind: 'state', state: 'offline' }, REFUSED]);
  });

  it('notify a tab that is looked at again that it missed something, once', () => {
    const { all, hidden, report } = tabs();
    all.report(BATCH);
    all.changeVisibility(report.hidden, true);
    all.changeVisibility(report.hidden, false);
    all.changeVisibility(report.hidden, true);
    expect(hidden.slice(1)).toEqual([MISSED]);
  });

  it('forget tabs that are closed', () => {
    const { all, seen, report } = tabs();
    all.remove(report.seen);
    all.report(BATCH);
    expect(seen).toHaveLength(1);
    expect(all.isEmpty).toBe(false);
    all.remove(report.hidden);
    expect(all.isEmpty).toBe(true);
  });
});
