import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Scorer, ScoreSample } from '@spandrel/plugin-api';
import { scoreOutput, ScoringError } from './score-sample.js';

const HASH = 'a1'.repeat(32);

const sample: Omit<ScoreSample, 'config'> = {
  input: 'question',
  output: 'answer',
  expected: 'answer',
  rubric: undefined,
  latencyMs: 12,
  cost: 0.5,
  complete: async () => ({ text: 'yes' }),
  embed: async () => ({ vectors: [] }),
  signal: new AbortController().signal,
};

const scorerThat = (score: Scorer['score'], needsExpected = false) => ({
  name: 'Mine',
  scorer: { needsExpected, score },
  config: { strict: true },
});

const failure = async (score: Scorer['score'], timeoutMs?: number): Promise<ScoringError> => {
  const error = await scoreOutput(scorerThat(score), sample, timeoutMs).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ScoringError);
  return error as ScoringError;
};

describe('scoring an output', () => {
  it('hands the scorer everything and takes what it says', async () => {
    const seen: ScoreSample[] = [];
    const scored = await scoreOutput(
      scorerThat(async (given) => {
        seen.push(given);
        return { score: 0.25, reason: (await given.complete({ messages: [] })).text, promptHash: HASH };
      }),
      { ...sample, rubric: 'be kind' },
    );
    expect(scored).toEqual({ score: 0.25, reason: 'yes', promptHash: HASH });
    expect(seen[0]).toMatchObject({ input: 'question', output: 'answer', expected: 'answer', rubric: 'be kind' });
    expect(seen[0]).toMatchObject({ latencyMs: 12, cost: 0.5 });
    expect(seen[0]?.config).toEqual({ strict: true });
  });

  it('leaves out what is no hash and no reason', async () => {
    const odd = scorerThat(() => ({ score: 1, reason: 7, promptHash: 'h\0' }) as never);
    expect(await scoreOutput(odd, sample)).toEqual({ score: 1, reason: null, promptHash: null });
  });

  it('takes null for no score', async () => {
    expect(
      await scoreOutput(
        scorerThat(() => ({ score: null })),
        sample,
      ),
    ).toEqual({
      score: null,
      reason: null,
      promptHash: null,
    });
  });

  it('does not ask a scorer that needs an expected value when there is none', async () => {
    const asked: unknown[] = [];
    const scorer = scorerThat((given) => (asked.push(given), { score: 1 }), true);
    await expect(scoreOutput(scorer, { ...sample, expected: undefined })).rejects.toThrow(
      'Mine: the datapoint has no expected value',
    );
    expect(asked).toEqual([]);
    expect((await scoreOutput(scorer, { ...sample, expected: false })).score).toBe(1);
  });

  it('names the scorer that throws, now or later', async () => {
    expect(
      (
        await failure(() => {
          throw new Error('at once');
        })
      ).message,
    ).toBe('Mine: at once');
    expect((await failure(async () => Promise.reject(new Error('later')))).message).toBe('Mine: later');
    // A plugin may throw anything.
    expect((await failure(() => Promise.reject('a text'))).message).toBe('Mine: a text');
  });

  it('refuses nonsense', async () => {
    for (const nonsense of [
      undefined,
      null,
      1,
      '1',
      {},
      { score: 1.01 },
      { score: -0.1 },
      { score: NaN },
      { score: '1' },
    ]) {
      expect((await failure(() => nonsense as never)).message).toMatch(/^Mine: the scorer gave no score/);
    }
  });

  it('gives up on a scorer that hangs, but not while the judge is asked', async () => {
    expect((await failure(() => new Promise<never>(() => {}), 30)).message).toBe('Mine: took longer than 0.03 s');
    const slowJudge = { ...sample, complete: async () => (await pause(120), { text: '1' }) };
    const patient = scorerThat(async ({ complete }) => {
      const [{ text }] = await Promise.all([complete({ messages: [] }), complete({ messages: [] })]);
      return { score: Number(text) };
    });
    expect((await scoreOutput(patient, slowJudge, 60)).score).toBe(1);
    const hangsAfter = scorerThat(
      async ({ complete }) => (await complete({ messages: [] }), new Promise<never>(() => {})),
    );
    await expect(scoreOutput(hangsAfter, sample, 30)).rejects.toThrow('took longer');
  });

  it('stops with the process', async () => {
    const abort = new AbortController();
    const scoring = scoreOutput(
      scorerThat(() => new Promise<never>(() => {})),
      { ...sample, signal: abort.signal },
    );
    abort.abort(new Error('the process is stopping'));
    await expect(scoring).rejects.toThrow('the process is stopping');
    await expect(scoring).rejects.not.toBeInstanceOf(ScoringError);
  });
});
