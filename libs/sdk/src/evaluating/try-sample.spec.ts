import { describe, expect, it } from '@jest/globals';
import { exactMatch, scorer, server, type Scorer } from './scorer.js';
import type { Task } from './definition.js';
import { finalNames, planScorers } from './read-definition.js';
import { silentSpandrel } from '../../../../test/sdk/support/silent-spandrel.js';
import { resultOf, trySample, type Trials } from './try-sample.js';

const KIND = { Generic: { input: 'France', expected_output: 'Paris', metadata: { easy: true } } };

interface Given {
  task?: Task<unknown, unknown, unknown>;
  scorers?: Scorer[];
  timeoutMs?: number;
  signal?: AbortSignal;
  repeats?: number;
  kind?: Parameters<typeof trySample>[1]['kind'];
}

async function tried({ task = () => 'Paris', scorers = [exactMatch], repeats = 2, kind = KIND, ...given }: Given) {
  const { timeoutMs = 10_000, signal = new AbortController().signal } = given;
  const planned = planScorers(scorers);
  const spandrel = silentSpandrel();
  const trials: Trials = {
    ...{ runId: 'run', runName: 'capitals', datasetId: 'set', repeats, task, scorers: planned, spandrel },
    bounds: { timeoutMs, signal },
  };
  const made = await trySample(trials, { datapointId: 'point', repeat: 1, kind });
  return { tried: made, result: resultOf(made, finalNames(planned)), noted: spandrel.noted };
}

describe('trySample', () => {
  it('gives the output with scores and times, in a trace that says what it is about', async () => {
    const seen: unknown[] = [];
    const { result, noted } = await tried({
      task: (given, { repeat }) => {
        seen.push(given, repeat);
        return { output: 'Paris', usage: { prompt_tokens: 3, completion_tokens: 2 }, cost: 0.5 };
      },
      scorers: [
        exactMatch,
        server('LlmJudge'),
        scorer('half', () => ({ score: 0.5, reason: 'so so' })),
        scorer('off', () => null),
      ],
    });
    expect(seen).toEqual([{ input: 'France', metadata: { easy: true }, datapointId: 'point' }, 1]);
    expect(result).toEqual({
      ...{ datapoint_id: 'point', repeat: 1, output: 'Paris', latency_ms: expect.any(Number) },
      scores: { exactMatch: { score: 1 }, half: { score: 0.5, reason: 'so so' } },
      ...{ input_tokens: 3, output_tokens: 2, cost: 0.5, trace_id: 'trace-1', span_id: 'span-1' },
    });
    const metadata = { eval_run_id: 'run', dataset_id: 'set', datapoint_id: 'point', repeat: 1 };
    expect(noted.traces).toEqual([{ name: 'capitals', tags: ['eval'], metadata }]);
    expect(noted.spans).toMatchObject([
      { name: 'task', input: 'France', output: 'Paris' },
      { name: 'scorer half', input: { output: 'Paris', expected: 'Paris' }, output: { score: 0.5, reason: 'so so' } },
      { name: 'scorer off' },
    ]);
  });

  it.each<[unknown, string]>([
    ['as it is', 'as it is'],
    [{ city: 'Paris' }, '{"city":"Paris"}'],
    [{ output: { city: 'Paris' } }, '{"city":"Paris"}'],
    [{ output: 1, other: 2 }, '{"output":1,"other":2}'],
    [null, 'null'],
    [7, '7'],
    [{}, '{}'],
  ])('keeps the output of %j as %s', async (answer, output) => {
    expect((await tried({ task: () => answer, scorers: [] })).result).toMatchObject({ output });
  });

  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new TypeError('no such city');
      },
      'TypeError: no such city',
    ],
    ['rejects', () => Promise.reject(new Error('gone')), 'gone'],
    ['returns nothing', () => undefined, 'the task returned nothing; it must return its output'],
    ['returns no JSON', () => 1n, 'the output is no JSON'],
    ['returns a function', () => () => 1, 'the output is a function, and no JSON'],
    [
      'returns a generator',
      () => (async function* () {})(),
      'nothing of the output, [object AsyncGenerator]; the task',
    ],
    ['returns an answer of fetch', () => new Response('Paris'), 'nothing of the output, [object Response]; the task'],
    ['returns an error', () => new RangeError('too long'), 'nothing of the output, RangeError: too long; the task'],
    ['says no cost', () => ({ output: 'x', cost: NaN }), 'the cost of the answer is NaN'],
  ])('fails the sample of a task that %s, and asks no scorer', async (_, task, error) => {
    const { result, noted } = await tried({ task });
    expect(result).toEqual({
      ...{ datapoint_id: 'point', repeat: 1, error: expect.stringContaining(error) },
      ...{ latency_ms: expect.any(Number), trace_id: 'trace-1', span_id: 'span-1' },
    });
    expect(noted.spans).toHaveLength(1);
  });

  it('fails the sample of a task that takes too long, and aborts it', async () => {
    let heard: unknown;
    const task: Task<unknown, unknown, unknown> = (__, { signal }) =>
      new Promise((___, reject) => {
        signal.addEventListener('abort', () => {
          heard = signal.reason;
          reject(new Error('aborted'));
        });
      });
    const { result } = await tried({ task, timeoutMs: 5 });
    expect(result.error).toBe('TimeoutError: timed out after 5 ms');
    expect(heard).toMatchObject({ name: 'TimeoutError' });
  });

  it.each<[string, Scorer, string]>([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
      'boom',
    ],
    ['is over 1', () => 1.5, 'the score is 1.5; it must be a number from 0 to 1'],
    ['is no number', () => NaN, 'the score is NaN'],
    ['returns nothing', (() => undefined) as unknown as Scorer, 'the score is of type undefined'],
    ['gives a list', (() => [1]) as unknown as Scorer, 'the score is a list'],
    ['forgets the score', (() => ({ name: 'x' })) as unknown as Scorer, 'the answer has no score'],
    ['hangs', () => new Promise<number>(() => {}), 'TimeoutError: timed out after 20 ms'],
  ])('fails the sample of a scorer that %s, and keeps the other scores', async (_, score, error) => {
    const own = scorer('own', score as () => number);
    const { result } = await tried({ scorers: [exactMatch, own], timeoutMs: 20 });
    expect(result.error).toBe(`scorer own: ${result.error?.slice('scorer own: '.length)}`);
    expect(result.error).toContain(error);
    expect(result).toMatchObject({ scores: { exactMatch: { score: 1 } } });
    expect(result).not.toHaveProperty('output');
  });

  it('takes scores as autoevals gives them', async () => {
    const Factuality = async () => ({ name: 'Factuality', score: 0.6, metadata: { rationale: 'close', choice: 'B' } });
    expect((await tried({ scorers: [Factuality, scorer('yes', () => true)] })).result.scores).toEqual({
      Factuality: { score: 0.6, reason: 'close' },
      yes: { score: 1 },
    });
  });

  it('reads conversations', async () => {
    const messages = [{ role: 'user', content: 'France' }];
    const task: Task<unknown, unknown, unknown> = ({ input, metadata }) => ({ input, metadata });
    const kind = { LlmConversation: { messages, expected: 'Paris' } };
    const { result } = await tried({ task, kind, scorers: [({ expected }) => expected === 'Paris'], repeats: 1 });
    expect(result).toMatchObject({
      output: JSON.stringify({ input: messages, metadata: {} }),
      scores: { 'scorer-1': { score: 1 } },
    });
  });

  it('gives no result once the eval was stopped', async () => {
    const reason = new Error('stopped');
    const stop = new AbortController();
    const task = (): Promise<never> => {
      stop.abort(reason);
      return new Promise(() => {});
    };
    await expect(tried({ task, signal: stop.signal })).rejects.toBe(reason);
    await expect(tried({ signal: stop.signal })).rejects.toBe(reason);
  });
});
