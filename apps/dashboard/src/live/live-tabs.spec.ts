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
  const send = { seen: (m: LiveMessage) => void seen.push(m), hidden: (m: LiveMessage) => void hidden.push(m) };
  all.add(send.seen, true, 'live');
  all.add(send.hidden, false, 'reconnecting');
  return { all, seen, hidden, send };
}

describe('LiveTabs', () => {
  it('send the state and refusals at once, batches to who looks', () => {
    const { all, seen, hidden } = tabs();
    all.send(BATCH);
    all.send({ kind: 'state', state: 'offline' });
    all.send({ kind: 'refused' });
    expect(seen).toEqual([
      { kind: 'state', state: 'live' },
      MISSED,
      BATCH,
      { kind: 'state', state: 'offline' },
      REFUSED,
    ]);
    expect(hidden).toEqual([{ kind: 'state', state: 'reconnecting' }, { kind: 'state', state: 'offline' }, REFUSED]);
  });

  it('send a tab that is looked at again that it missed something, once', () => {
    const { all, hidden, send } = tabs();
    all.send(BATCH);
    all.changeVisibility(send.hidden, true);
    all.changeVisibility(send.hidden, false);
    all.changeVisibility(send.hidden, true);
    expect(hidden.slice(1)).toEqual([MISSED]);
  });

  it('send a tab that comes to an open stream that it missed something, once it is looked at', () => {
    const { all, seen, send } = tabs();
    expect(seen).toEqual([{ kind: 'state', state: 'live' }, MISSED]);
    const later: LiveMessage[] = [];
    const sendLater = (message: LiveMessage): void => void later.push(message);
    all.add(sendLater, false, 'live');
    expect(later).toEqual([{ kind: 'state', state: 'live' }]);
    all.changeVisibility(sendLater, true);
    expect(later.slice(1)).toEqual([MISSED]);
    // Back shows a page again that was kept: it missed what came meanwhile.
    all.remove(send.seen);
    all.add(send.seen, true, 'live');
    expect(seen.slice(2)).toEqual([{ kind: 'state', state: 'live' }, MISSED]);
  });

  it('forget tabs that are closed', () => {
    const { all, seen, send } = tabs();
    all.remove(send.seen);
    all.send(BATCH);
    expect(seen).toHaveLength(2);
    expect(all.isEmpty).toBe(false);
    all.remove(send.hidden);
    expect(all.isEmpty).toBe(true);
  });
});
