import { describe, expect, it } from '@jest/globals';
import { EVENT_TYPES } from '@spandrel/contract';
import { behind } from '../log/event-batch.js';
import { TypeFilter, typeOf } from './event-frames.js';

const batch = (firstSeq: number, ...lines: string[]) => ({
  projectId: 'p',
  firstSeq,
  lastSeq: firstSeq + lines.length - 1,
  lines,
});
const CLEARED = '{"type":"cleared"}';
const DELETED = '{"type":"span_deleted","span_id":"\\"type\\":\\"cleared\\" ä"}';

describe('TypeFilter', () => {
  it('frames events as the stream has them', () => {
    const { bytes, count } = new TypeFilter().frames([batch(7, CLEARED, DELETED), batch(9, CLEARED)], 0);
    expect(count).toBe(3);
    expect(bytes.toString()).toBe(
      `id: 7\nevent: message\ndata: ${CLEARED}\n\nid: 8\nevent: message\ndata: ${DELETED}\n\nid: 9\nevent: message\ndata: ${CLEARED}\n\n`,
    );
  });

  it('leaves out what the client has', () => {
    const text = (afterSeq: number): string =>
      new TypeFilter().frames([batch(1, CLEARED, CLEARED), batch(3, CLEARED)], afterSeq).bytes.toString();
    expect([...text(1).matchAll(/id: (\d)/g)].map(([, id]) => id)).toEqual(['2', '3']);
    expect(text(3)).toBe('');
  });

  it('goes by the type, not by what an event says', () => {
    const { bytes, count } = new TypeFilter(['cleared']).frames([batch(1, DELETED, CLEARED, DELETED)], 0);
    expect(count).toBe(1);
    expect(bytes.toString()).toBe(`id: 2\nevent: message\ndata: ${CLEARED}\n\n`);
  });

  it('has one key for the same wish, however it is made', () => {
    expect(new TypeFilter(['cleared', 'eval_failed']).key).toBe(
      new TypeFilter(['eval_failed', 'cleared', 'cleared']).key,
    );
    expect(new TypeFilter(['cleared']).key).not.toBe(new TypeFilter(['eval_failed']).key);
    expect(new TypeFilter(EVENT_TYPES.toReversed()).key).toBe(new TypeFilter().key);
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
