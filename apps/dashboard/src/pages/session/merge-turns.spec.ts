import type { TraceListItem } from '@spandrel/contract';
import { describe, expect, it } from '@jest/globals';
import { mergeTurns } from './merge-turns.js';

const turn = (id: string, minute: number, changes: Partial<TraceListItem> = {}): TraceListItem =>
  ({ id, session_id: 's', started_at: `2026-11-22T12:0${minute}:00.000Z`, span_count: 0, ...changes }) as TraceListItem;
const read = [turn('a', 1), turn('c', 3)];
const idsOf = (turns: readonly TraceListItem[]): string[] => turns.map(({ id }) => id);

describe('turns of a session', () => {
  it('change in place', () => {
    const merged = mergeTurns(read, [turn('a', 1, { span_count: 2 })], 's', false);
    expect(merged.map(({ id, span_count }) => [id, span_count])).toEqual([
      ['a', 2],
      ['c', 0],
    ]);
  });

  it('come in where they belong', () => {
    expect(idsOf(mergeTurns(read, [turn('d', 4), turn('b', 2), turn('A', 1)], 's', true))).toEqual([
      ...['A', 'a', 'b', 'c', 'd'],
    ]);
  });

  it('behind the last one that was read come with their page', () => {
    expect(idsOf(mergeTurns(read, [turn('d', 4), turn('b', 2)], 's', false))).toEqual(['a', 'b', 'c']);
  });

  it('leave when they are of another session', () => {
    expect(idsOf(mergeTurns(read, [turn('a', 1, { session_id: ' s' })], 's', true))).toEqual(['c']);
  });
});
