import { beforeEach, describe, expect, it } from '@jest/globals';
import { EventStream, EventMerger, type Source } from './event-stream.js';
import type { LiveMessage, LiveEvent } from './live-event.js';

class FakeSource implements Source {
  onopen: Source['onopen'] = null;
  onerror: Source['onerror'] = null;
  onmessage: Source['onmessage'] = null;
  readyState = 0;

  constructor(readonly address: string) {}

  send(id: string, data: unknown): void {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    this.onmessage?.({ data: text, lastEventId: id } as MessageEvent<string>);
  }

  close(): void {
    this.readyState = 2;
  }
}

let sources: FakeSource[];
let messages: LiveMessage[];
let clock: { at: number; jobs: { at: number; run: () => void }[] };
let stream: EventStream;

function advance(ms: number): void {
  const end = clock.at + ms;
  for (;;) {
    const due = clock.jobs.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
    if (due === undefined) break;
    clock.jobs.splice(clock.jobs.indexOf(due), 1);
    clock.at = due.at;
    due.run();
  }
  clock.at = end;
}

beforeEach(() => {
  sources = [];
  messages = [];
  clock = { at: 0, jobs: [] };
  stream = new EventStream(
    {
      open: (address) => {
        const source = new FakeSource(address);
        sources.push(source);
        return source;
      },
      now: () => clock.at,
      later: (ms, run) => {
        const job = { at: clock.at + ms, run };
        clock.jobs.push(job);
        return () => clock.jobs.includes(job) && clock.jobs.splice(clock.jobs.indexOf(job), 1);
      },
    },
    (message) => messages.push(message),
  );
  stream.open();
});

const open = (source: FakeSource): void => source.onopen?.(new Event('open'));
const fail = (source: FakeSource, readyState: number): void => {
  source.readyState = readyState;
  source.onerror?.(new Event('error'));
};

const eventsOf = (message: LiveMessage): string[] =>
  message.kind === 'batch'
    ? message.batch.events.map((event) => (event.type === 'trace_deleted' ? event.trace_id : event.type))
    : [];

describe('EventStream', () => {
  it('opens one connection', () => {
    stream.open();
    expect(sources.map(({ address }) => address)).toEqual(['/api/events?view=outline']);
  });

  it('hands on the first event soon, and merges what comes within a quarter of a second after it', () => {
    open(sources[0]!);
    sources[0]!.send('1', { type: 'trace_deleted', trace_id: 'a' });
    advance(30);
    for (const id of ['b', 'c']) {
      sources[0]!.send('2', { type: 'trace_deleted', trace_id: id });
      advance(100);
    }
    expect(messages.map(eventsOf)).toEqual([[], [], ['a']]);
    advance(50);
    expect(messages.map(eventsOf)).toEqual([[], [], ['a'], ['b', 'c']]);
  });

  it('says when the connection is lost, when that lasts, and when it is back', () => {
    open(sources[0]!);
    fail(sources[0]!, 0);
    advance(10_000);
    open(sources[0]!);
    expect(messages.flatMap((message) => (message.kind === 'state' ? [message.state] : []))).toEqual([
      ...['live', 'reconnecting', 'offline', 'live'],
    ]);
    expect(sources).toHaveLength(1);
  });

  it('says that events were missed each time it opens without a number from which they are replayed', () => {
    const missed = { kind: 'batch', batch: { events: [], hasMissed: true } };
    const live = { kind: 'state', state: 'live' };
    open(sources[0]!);
    expect(messages).toEqual([live, missed]);
    fail(sources[0]!, 0);
    open(sources[0]!);
    expect(messages.slice(3)).toEqual([live, missed]);
    sources[0]!.send('41', { type: 'cleared' });
    fail(sources[0]!, 0);
    open(sources[0]!);
    expect(messages.at(-1)).toEqual(live);
  });

  it('is not live any more once it was closed, until it is open again', () => {
    open(sources[0]!);
    stream.close();
    stream.open();
    expect(stream.currentState).toBe('reconnecting');
    open(sources[1]!);
    expect(stream.currentState).toBe('live');
  });

  it('asks again after a refusal, for what came since the last event', () => {
    open(sources[0]!);
    sources[0]!.send('41', { type: 'cleared' });
    fail(sources[0]!, 2);
    advance(4_999);
    expect(sources).toHaveLength(1);
    advance(1);
    expect(sources[1]!.address).toBe('/api/events?view=outline&since=41');
  });

  it('says of every refusal, also where it never was open, and of no connection that is lost', () => {
    fail(sources[0]!, 0);
    expect(messages).toEqual([]);
    fail(sources[0]!, 2);
    advance(5_000);
    fail(sources[1]!, 2);
    expect(messages).toEqual([{ kind: 'refused' }, { kind: 'refused' }]);
  });

  it('says of an event that it cannot read', () => {
    open(sources[0]!);
    sources[0]!.send('1', '{');
    advance(250);
    expect(messages.at(-1)).toEqual({ kind: 'batch', batch: { events: [], hasMissed: true } });
  });

  it('is quiet once closed', () => {
    stream.close();
    advance(60_000);
    expect(messages).toEqual([]);
    expect(sources[0]!.readyState).toBe(2);
  });
});

const span = (id: string, type: 'span_created' | 'span_completed' = 'span_created'): LiveEvent =>
  ({ type, span: { id, trace_id: 't' } }) as LiveEvent;
const deleted = (id: string): LiveEvent => ({ type: 'trace_deleted', trace_id: id });

describe('EventMerger', () => {
  it('hands on what came, once', () => {
    const merger = new EventMerger();
    expect(merger.take()).toBeNull();
    merger.add(deleted('a'), 0);
    merger.add(deleted('b'), 1);
    expect(merger.take()).toEqual({ events: [deleted('a'), deleted('b')], hasMissed: false });
    expect(merger.take()).toBeNull();
  });

  it('keeps the last event of a span alone, at its place in time', () => {
    const merger = new EventMerger();
    for (const event of [span('1'), span('2'), deleted('a'), span('1', 'span_completed')]) merger.add(event, 0);
    expect(merger.take()!.events).toEqual([span('2'), deleted('a'), span('1', 'span_completed')]);
  });

  it('counts when too many come in a second, and hands on again in the next', () => {
    const merger = new EventMerger();
    for (let at = 0; at < 501; at++) merger.add(span(String(at)), at);
    expect(merger.take()).toEqual({ events: [], hasMissed: true });
    merger.add(span('late'), 900);
    expect(merger.take()).toEqual({ events: [], hasMissed: true });
    merger.add(span('next'), 1_001);
    expect(merger.take()).toEqual({ events: [span('next')], hasMissed: false });
  });

  it('hands on five hundred a second', () => {
    const merger = new EventMerger();
    for (let at = 0; at < 500; at++) merger.add(span(String(at)), at);
    expect(merger.take()!.events).toHaveLength(500);
  });

  it('says that something was missed even where nothing else came', () => {
    const merger = new EventMerger();
    merger.miss();
    expect(merger.take()).toEqual({ events: [], hasMissed: true });
  });
});
