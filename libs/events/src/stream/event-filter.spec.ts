import { describe, expect, it } from '@jest/globals';
import { EVENT_TYPES } from '@spandrel/contract';
import { behind, typeOf } from '../log/event-batch.js';
import { EventFilter } from './event-filter.js';

const batch = (firstSeq: number, ...lines: string[]) => ({
  projectId: 'p',
  firstSeq,
  lastSeq: firstSeq + lines.length - 1,
  lines,
});
const CLEARED = '{"type":"cleared"}';
const DELETED = '{"type":"span_deleted","span_id":"\\"type\\":\\"cleared\\" ä"}';

describe('EventFilter', () => {
  it('frames events as the stream has them', () => {
    const { bytes, count } = new EventFilter().frames([batch(7, CLEARED, DELETED), batch(9, CLEARED)], 0);
    expect(count).toBe(3);
    expect(bytes.toString()).toBe(
      `id: 7\nevent: message\ndata: ${CLEARED}\n\nid: 8\nevent: message\ndata: ${DELETED}\n\nid: 9\nevent: message\ndata: ${CLEARED}\n\n`,
    );
  });

  it('leaves out what the client has', () => {
    const text = (afterSeq: number): string =>
      new EventFilter().frames([batch(1, CLEARED, CLEARED), batch(3, CLEARED)], afterSeq).bytes.toString();
    expect([...text(1).matchAll(/id: (\d)/g)].map(([, id]) => id)).toEqual(['2', '3']);
    expect(text(3)).toBe('');
  });

  it('goes by the type, not by what an event says', () => {
    const { bytes, count } = new EventFilter({ types: ['cleared'] }).frames([batch(1, DELETED, CLEARED, DELETED)], 0);
    expect(count).toBe(1);
    expect(bytes.toString()).toBe(`id: 2\nevent: message\ndata: ${CLEARED}\n\n`);
  });

  it('takes the events of a trace, and those that do not say of which they are', () => {
    const span = (trace_id: string): string =>
      JSON.stringify({ type: 'span_created', span: { id: 's', trace_id, input: { trace_id: 'a' } } });
    const lines = [
      span('a'),
      span('b'),
      '{"type":"trace_created","trace":{"id":"a","name":"b"}}',
      '{"type":"trace_deleted","trace_id":"b"}',
      '{"type":"trace_deleted","trace_id":"a"}',
      '{"type":"eval_completed","run_id":"a"}',
      DELETED,
      CLEARED,
    ];
    const seen = (view: 'full' | 'outline'): string[] => {
      const { bytes } = new EventFilter({ traceId: 'a', view }).frames([batch(1, ...lines)], 0);
      return [...bytes.toString().matchAll(/id: (\d)/g)].map(([, id]) => id!);
    };
    expect(seen('full')).toEqual(['1', '3', '5', '7', '8']);
    expect(seen('outline')).toEqual(seen('full'));
  });

  it('shows events without their texts, numbered as they are', () => {
    const line = JSON.stringify({ type: 'datapoint_created', datapoint: { id: 'd', kind: { Generic: {} } } });
    const { bytes, count } = new EventFilter({ view: 'outline' }).frames([batch(4, CLEARED, line)], 0);
    expect(count).toBe(2);
    expect(bytes.toString()).toContain(
      'id: 5\nevent: message\ndata: {"type":"datapoint_created","datapoint":{"id":"d"}}\n',
    );
  });

  it('has one key for the same wish, however it is made', () => {
    expect(new EventFilter({ types: ['cleared', 'eval_failed'] }).key).toBe(
      new EventFilter({ types: ['eval_failed', 'cleared', 'cleared'] }).key,
    );
    expect(new EventFilter({ types: ['cleared'] }).key).not.toBe(new EventFilter({ types: ['eval_failed'] }).key);
    expect(new EventFilter({ types: EVENT_TYPES.toReversed() }).key).toBe(new EventFilter().key);
    expect(new EventFilter({ view: 'full' }).key).toBe(new EventFilter().key);
    const keys = [{}, { view: 'outline' }, { traceId: 'a' }, { traceId: 'a', view: 'outline' }] as const;
    expect(new Set(keys.map((wanted) => new EventFilter(wanted).key)).size).toBe(keys.length);
  });
});

it('typeOf reads the type from the beginning', () => {
  for (const type of EVENT_TYPES) expect(typeOf(JSON.stringify({ type, x: 'y' }))).toBe(type);
});

it('behind cuts a batch', () => {
  const three = batch(4, 'a', 'b', 'c');
  expect(behind(three, 3)).toBe(three);
  expect(behind(three, 4)).toEqual(batch(5, 'b', 'c'));
  expect(behind(three, 5)).toEqual(batch(6, 'c'));
  expect(behind(three, 6)).toBeUndefined();
});
