import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Source } from '../../live/event-stream.js';
import { EventFeed } from './event-feed.js';
import { EventLog } from './event-log.js';

class FakeSource implements Source {
  onopen: Source['onopen'] = null;
  onerror: Source['onerror'] = null;
  onmessage: Source['onmessage'] = null;
  readyState = 1;

  constructor(readonly address: string) {}

  send(number: number): void {
    const data = JSON.stringify({ type: 'trace_deleted', trace_id: 'a' });
    this.onmessage?.({ data, lastEventId: String(number) } as MessageEvent<string>);
  }

  close(): void {
    this.readyState = 2;
  }
}

let sources: FakeSource[];
let timers: { ms: number; run: () => void }[];

/** Lets the timers run that wait no longer than this. */
function advance(ms: number): void {
  const due = timers.filter((timer) => timer.ms <= ms);
  timers = timers.filter((timer) => timer.ms > ms);
  for (const { run } of due) run();
}

function feedOf(log: EventLog, type?: string) {
  const parts = {
    open: (address: string) => {
      const source = new FakeSource(address);
      sources.push(source);
      return source;
    },
    now: () => 0,
    later: (ms: number, run: () => void) => {
      const timer = { ms, run };
      timers.push(timer);
      return () => void (timers = timers.filter((other) => other !== timer));
    },
  };
  let changes = 0;
  const feed = new EventFeed(parts, log, type, () => changes++);
  return { feed, changes: () => changes };
}

beforeEach(() => {
  sources = [];
  timers = [];
});

describe('EventFeed', () => {
  it('shows what comes at nearly one time together, with the time at which it came', () => {
    const log = new EventLog();
    const { feed, changes } = feedOf(log);
    feed.open();
    feed.open();
    for (const number of [4, 5]) sources[0]!.send(number);
    expect([sources.map(({ address }) => address), log.events]).toEqual([['/api/events?view=outline'], []]);
    advance(30);
    expect([log.events.map(({ number }) => number), changes()]).toEqual([[4, 5], 1]);
    expect(log.events[0]!.at).not.toBeNull();
    sources[0]!.send(6);
    advance(249);
    expect(changes()).toBe(1);
    advance(250);
    expect(changes()).toBe(2);
  });

  it('goes on after the last number when it is opened again', () => {
    const { feed } = feedOf(new EventLog(7), 'trace_deleted');
    feed.open();
    sources[0]!.send(12);
    feed.close();
    feed.open();
    expect(sources.map(({ address }) => address)).toEqual([
      '/api/events?view=outline&types=trace_deleted&since=7',
      '/api/events?view=outline&types=trace_deleted&since=12',
    ]);
    expect(sources[0]!.readyState).toBe(2);
  });

  it('gives a replayed event no time of its own, and those after a pause the time at which they come', () => {
    const log = new EventLog(0);
    const { feed } = feedOf(log);
    feed.open();
    sources[0]!.onopen?.(new Event('open'));
    sources[0]!.send(1);
    advance(500);
    sources[0]!.send(2);
    advance(500);
    expect(log.events.map(({ at }) => at === null)).toEqual([true, false]);
    // The browser connects again by itself, and gets what happened meanwhile.
    sources[0]!.onerror?.(new Event('error'));
    sources[0]!.onopen?.(new Event('open'));
    sources[0]!.send(3);
    advance(500);
    expect(log.events.map(({ at }) => at === null)).toEqual([true, false, true]);
  });

  it('is open from the answer of the server until the connection is lost', () => {
    const { feed } = feedOf(new EventLog());
    feed.open();
    expect(feed.isOpen).toBe(false);
    sources[0]!.onopen?.(new Event('open'));
    expect(feed.isOpen).toBe(true);
    sources[0]!.onerror?.(new Event('error'));
    expect(feed.isOpen).toBe(false);
  });

  it('asks again after a refusal, and says that it was refused', () => {
    const { feed, changes } = feedOf(new EventLog());
    feed.open();
    sources[0]!.onerror?.(new Event('error'));
    expect([feed.isRefused, sources.length]).toEqual([false, 1]);
    sources[0]!.readyState = 2;
    sources[0]!.onerror?.(new Event('error'));
    expect([feed.isRefused, changes()]).toEqual([true, 1]);
    advance(5_000);
    sources[1]!.onopen?.(new Event('open'));
    expect([feed.isRefused, sources.length]).toEqual([false, 2]);
  });
});
