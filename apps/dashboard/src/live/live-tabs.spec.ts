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
  const tell = { seen: (m: LiveMessage) => void seen.push(m), hidden: (m: LiveMessage) => void hidden.push(m) };
  all.add(tell.seen, true, 'live');
  all.add(tell.hidden, false, 'reconnecting');
  return { all, seen, hidden, tell };
}

describe('LiveTabs', () => {
  it('tell the state and refusals at once, batches to who looks', () => {
    const { all, seen, hidden } = tabs();
    all.tell(BATCH);
    all.tell({ kind: 'state', state: 'offline' });
    all.tell({ kind: 'refused' });
    expect(seen).toEqual([{ kind: 'state', state: 'live' }, BATCH, { kind: 'state', state: 'offline' }, REFUSED]);
    expect(hidden).toEqual([{ kind: 'state', state: 'reconnecting' }, { kind: 'state', state: 'offline' }, REFUSED]);
  });

  it('tell a tab that is looked at again that it missed something, once', () => {
    const { all, hidden, tell } = tabs();
    all.tell(BATCH);
    all.changeVisibility(tell.hidden, true);
    all.changeVisibility(tell.hidden, false);
    all.changeVisibility(tell.hidden, true);
    expect(hidden.slice(1)).toEqual([MISSED]);
  });

  it('forget tabs that are closed', () => {
    const { all, seen, tell } = tabs();
    all.remove(tell.seen);
    all.tell(BATCH);
    expect(seen).toHaveLength(1);
    expect(all.isEmpty).toBe(false);
    all.remove(tell.hidden);
    expect(all.isEmpty).toBe(true);
  });
});
