import { describe, expect, it } from '@jest/globals';
import type { Api } from '../api/client.js';
import type { AddedEvalResults, ExternalResult } from '../api/schema.js';
import { SpandrelError } from '../api/spandrel-error.js';
import { exactMatch } from './scorer.js';
import { evaluate, ResultSender, RunIsOver } from './work-on-run.js';
import { silentSpandrel } from '../../../../test/sdk/support/silent-spandrel.js';

type Answer = (results: ExternalResult[]) => AddedEvalResults['rejected'] | Error;

/** Sends results to a server that answers as asked, in turn; afterwards it takes all. */
function senderTo(answers: Answer[], patienceMs = 5_000) {
  const sent: ExternalResult[][] = [];
  const durable: ExternalResult[] = [];
  const ended: unknown[] = [];
  const stop = new AbortController();
  const api = {
    addEvalResults({ body }: { body: { results: ExternalResult[] } }) {
      sent.push(body.results);
      const answer = answers.shift()?.(body.results) ?? [];
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve({ accepted: body.results.length - answer.length, rejected: answer });
    },
  } as unknown as Api;
  const sender = new ResultSender({
    ...{ api, runId: 'run', signal: stop.signal, patienceMs },
    onDurable: (results) => durable.push(...results),
    onEnd: (reason) => ended.push(reason),
  });
  return { sender, sent, durable, ended, stop };
}

const result = (id: string, output = 'x'): ExternalResult => ({ datapoint_id: id, repeat: 0, output, latency_ms: 1 });
const error = (status: number, code: string): Error => new SpandrelError({ status, code, detail: code });
const idsOf = (results: readonly ExternalResult[]): string[] => results.map(({ datapoint_id: id }) => id);

describe('ResultSender', () => {
  it('sends results together that come while a request is under way, and reports them once they are durable', async () => {
    const { sender, sent, durable } = senderTo([]);
    for (const id of ['a', 'b', 'c']) await sender.add(result(id));
    expect(durable).toEqual([]);
    await sender.drained();
    await sender.add(result('d'));
    await sender.drained();
    expect(sent.map(idsOf).flat()).toEqual(['a', 'b', 'c', 'd']);
    expect(sent.length).toBeLessThanOrEqual(3);
    expect(idsOf(durable)).toEqual(['a', 'b', 'c', 'd']);
    expect(sender.accepted).toBe(4);
  });

  it('waits where it is asked to wait longer than a timer can', async () => {
    const later = new SpandrelError({ status: 429, code: 'rate_limited', detail: 'later', retryAfterMs: 1e12 });
    const { sender, sent, stop } = senderTo([() => later]);
    await sender.add(result('a'));
    await new Promise((done) => setTimeout(done, 200));
    expect(sent).toHaveLength(1);
    stop.abort(new Error('enough'));
    await expect(sender.drained()).rejects.toThrow('enough');
  });

  it('sends again what got no answer, the same result', async () => {
    const { sender, sent, durable } = senderTo([
      () => error(0, 'unreachable'),
      () => error(503, 'database_unavailable'),
    ]);
    await sender.add(result('a'));
    await sender.drained();
    expect(sent).toEqual([[result('a')], [result('a')], [result('a')]]);
    expect(durable).toHaveLength(1);
  });

  it('gives up once the server has not answered for too long', async () => {
    const down = error(0, 'unreachable');
    const { sender, ended } = senderTo(
      Array.from({ length: 1_000 }, () => () => down),
      1,
    );
    await sender.add(result('a'));
    await expect(sender.drained()).rejects.toBe(down);
    expect(ended).toEqual([down]);
    await expect(sender.add(result('b'))).rejects.toBe(down);
  });

  it('makes a failed sample of a result that the server does not take, and counts that of another process as done', async () => {
    const rejected = [
      { index: 0, code: 'validation_failed', message: 'output is too odd' },
      { index: 2, code: 'id_conflict', message: 'another result' },
    ];
    const { sender, sent, durable } = senderTo([() => [], () => rejected]);
    await sender.add(result('first'));
    await sender.drained();
    await sender.add({ ...result('a'), scores: { s: { score: 1 } } });
    await sender.add(result('b'));
    await sender.add(result('c'));
    await sender.drained();
    expect(sent.at(-1)).toEqual([
      { datapoint_id: 'a', repeat: 0, latency_ms: 1, error: 'the server did not take the result: output is too odd' },
    ]);
    expect(idsOf(durable)).toEqual(['first', 'b', 'c', 'a']);
    expect(sender.accepted).toBe(4);
  });

  it('halves what is too large, down to the one that is', async () => {
    const limit: Answer = (results) =>
      results.some(({ output }) => output === 'huge') ? error(413, 'payload_too_large') : [];
    const { sender, sent, durable } = senderTo([() => [], limit, limit, limit, limit, limit]);
    await sender.add(result('first'));
    await sender.drained();
    for (const id of ['a', 'b', 'c']) await sender.add(result(id, id === 'b' ? 'huge' : 'x'));
    await sender.drained();
    expect(sent.map(idsOf)).toEqual([['first'], ['a', 'b', 'c'], ['a', 'b'], ['a'], ['b'], ['b'], ['c']]);
    expect(durable.find(({ datapoint_id: id }) => id === 'b')).toMatchObject({
      error: expect.stringContaining('larger'),
    });
  });

  it.each<[string, Error, unknown]>([
    ['the run is over', error(400, 'eval_run_not_running'), RunIsOver],
    ['the key is refused', error(401, 'unauthenticated'), SpandrelError],
  ])('ends at once when %s', async (_, answer, kind) => {
    const { sender, sent, ended } = senderTo([() => answer]);
    await sender.add(result('a'));
    await expect(sender.drained()).rejects.toBeInstanceOf(kind as typeof Error);
    expect(sent).toHaveLength(1);
    expect(ended).toHaveLength(1);
  });

  it('holds further tries up while too much waits', async () => {
    let release: () => void = () => {};
    const { sender, durable } = senderTo([]);
    const held = new Promise<void>((resolve) => (release = resolve));
    let isHeld = true;
    const adding = (async () => {
      for (let n = 0; n < 2_500; n++) await sender.add(result(`p${n}`));
      isHeld = false;
      release();
    })();
    await new Promise((resolve) => setImmediate(resolve));
    expect(isHeld).toBe(true);
    await Promise.all([adding, held]);
    await sender.drained();
    expect(new Set(idsOf(durable)).size).toBe(2_500);
  });
});

describe('evaluate', () => {
  it('waits for a server that is away, whatever it asks for meanwhile', async () => {
    const counts = { sample_progress: 0, sample_total: 1, failed_samples: 0, gates: [], passed: null, error: null };
    const scorers = [{ name: 'exactMatch', scoring: 'External' }];
    const run = { id: 'run', dataset_id: 'd', name: 'n', repeats: 1, execution: 'external', ...counts, scorers };
    const item = { datapoint_id: 'a', status: 'pending', kind: { Generic: { input: 'x', expected_output: 'x' } } };
    let status = 'running';
    const answers: Record<string, () => unknown> = {
      getEval: () => ({ ...run, status }),
      listEvalItems: () => ({ items: [item], next_cursor: null }),
      addEvalResults: () => ((status = 'completed'), { accepted: 1, rejected: [] }),
      getEvalStatistics: () => ({ score: { mean: 1 } }),
    };
    const asked: string[] = [];
    const away = new Set(Object.keys(answers));
    const call = async (name: string): Promise<unknown> => {
      asked.push(name);
      // The first question, for the run to resume, is answered.
      if (asked.length > 1 && away.delete(name)) throw error(503, 'restarting');
      return answers[name]!();
    };
    const api = Object.fromEntries(Object.keys(answers).map((name) => [name, () => call(name)])) as unknown as Api;
    const definition = { dataset: 'd', task: ({ input }: { input: string }) => input, scorers: [exactMatch] };
    const result = await evaluate(definition, { resume: 'run', spandrel: silentSpandrel(api) });
    expect(result).toMatchObject({ passed: true, statistics: { score: { mean: 1 } } });
    const twice = ['listEvalItems', 'addEvalResults', 'getEval', 'getEvalStatistics'].flatMap((name) => [name, name]);
    expect(asked).toEqual(['getEval', ...twice]);
  });
});
