import { describe, expect, it } from '@jest/globals';
import type { LiveEvent } from './live-event.js';
import { EventMerger } from './merge-events.js';

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
