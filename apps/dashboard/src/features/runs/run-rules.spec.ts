import { describe, expect, it } from '@jest/globals';
import type { LiveEvent } from '../../live/live-event.js';
import { stopSentence, stopWord, isOfRun, runChanges, dataText, wholeText } from './run-rules.js';

describe('a run in words', () => {
  it('says why it ended early, unless somebody cancelled it', () => {
    const reasons = [null, 'cancelled', 'cost_cap', 'idle'] as const;
    expect(reasons.map((reason) => stopWord({ stop_reason: reason }))).toEqual([null, null, 'cost cap', 'idle']);
    expect(stopSentence({ stop_reason: 'cost_cap' })).toMatch(/cap/);
    expect(stopSentence({ stop_reason: null })).toBeNull();
  });
});

const progress: LiveEvent = {
  ...{ type: 'eval_progress', run_id: 'r', progress: 1, total: 2, sample_progress: 1, sample_total: 2 },
};

describe('what an event says of runs', () => {
  it('is which one changed, and whether it may be new', () => {
    expect(runChanges(progress)).toEqual({ changed: ['r'] });
    expect(runChanges({ type: 'eval_started', run_id: 'r', dataset_id: 'd' })).toEqual({
      changed: ['r'],
      hasNew: true,
    });
    expect(runChanges({ type: 'dataset_deleted', dataset_id: 'd' })).toEqual({ deleted: ['d'], hasNew: true });
    expect(runChanges({ type: 'trace_deleted', trace_id: 't' } as LiveEvent)).toEqual({});
  });

  it('is about the run that it names', () => {
    expect([isOfRun(progress, 'r'), isOfRun(progress, 's'), isOfRun({ type: 'cleared' }, 'r')]).toEqual([
      ...[true, false, false],
    ]);
  });
});

describe('data as a line', () => {
  it('is the text, the last question, or JSON', () => {
    expect(dataText('a\nb')).toBe('a\nb');
    expect(dataText(null)).toBe('');
    expect(
      dataText([
        { role: 'user', content: 'first' },
        { role: 'user', content: [{ type: 'text', text: 'last' }] },
        { role: 'tool', tool_call_id: 'a', content: '7' },
      ]),
    ).toBe('last');
    expect(dataText({ a: [1] })).toBe('{"a":[1]}');
    expect(dataText([1, 2])).toBe('[1,2]');
  });

  it('is whole where there is room', () => {
    expect([wholeText('a\nb'), wholeText([1])]).toEqual(['a\nb', '[\n  1\n]']);
  });
});
