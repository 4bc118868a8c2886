import { describe, expect, it } from '@jest/globals';
import type { SampleResource } from '@spandrel/contract';
import {
  describePasses,
  describeWorst,
  passesOf,
  stopSentence,
  stopWord,
  isOfRun,
  runChanges,
  dataText,
} from './tries.js';
import type { LiveEvent } from '../../live/live-event.js';

const tried = (...passed: (boolean | null)[]) => ({ samples: passed.map((each) => ({ passed: each })) });

describe('the passes of a datapoint', () => {
  it('are its tries that pass, of those that have a score', () => {
    expect(passesOf(tried(true, false, true, null))).toEqual({ passed: 2, counted: 3, isFlaky: true });
    expect(passesOf(tried(true, true))).toEqual({ passed: 2, counted: 2, isFlaky: false });
    expect(passesOf(tried(false, false))).toEqual({ passed: 0, counted: 2, isFlaky: false });
  });

  it('are said in words', () => {
    expect(describePasses({ passed: 2, counted: 3, isFlaky: true })).toBe('2 of 3 tries, flaky');
    expect(describePasses({ passed: 0, counted: 1, isFlaky: false })).toBe('0 of 1 try');
  });

  it('are not known before the first score, and where it is tried once', () => {
    expect([passesOf(tried(null)), passesOf({ samples: null }), passesOf({})]).toEqual([null, null, null]);
  });
});

describe('the worst try', () => {
  const sample = (repeat: number, score: number | null) => ({ repeat, score }) as SampleResource;

  it('has its number from 1, and a score or that it failed', () => {
    const samples = [sample(0, 1), sample(1, 0.25), sample(2, null)];
    expect(describeWorst({ samples, worst_repeat: 1 })).toBe('0.25, try 2');
    expect(describeWorst({ samples, worst_repeat: 2 })).toBe('Failed, try 3');
  });

  it('is none before the first, and where there is one try', () => {
    expect([
      describeWorst({ samples: [sample(0, null)], worst_repeat: null }),
      describeWorst({ samples: null }),
    ]).toEqual([null, null]);
  });
});

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
});
