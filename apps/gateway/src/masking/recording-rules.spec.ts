import { describe, expect, it } from '@jest/globals';
import type { LoadedMasker } from '@spandrel/kernel';
import { CallerKey } from '../access/caller-key.js';
import { type MaskingAnswer, RecordingRules } from './recording-rules.js';

const caller = new CallerKey('digest', 'key');
const rule = { masker: 'word', fields: ['input' as const], replace: 'label' as const, label: 'w', config: {} };
const answer = (rules = [rule]): MaskingAnswer => ({
  kind: 'known',
  masking: { project_id: 'p', rules, hash_key: null },
});
const WORD: LoadedMasker = {
  name: 'word',
  entry: { use: 'word', config: {} },
  extension: {
    label: 'w',
    finder: () => ({
      lengthMin: 4,
      find: (text) => (text.includes('anna') ? [{ start: text.indexOf('anna'), end: text.indexOf('anna') + 4 }] : []),
    }),
  },
  configure: () => ({ config: {} }),
  configSchema: null,
};

function rules(first: MaskingAnswer, maskers = [WORD]) {
  const state = { now: 0, answer: first, asked: 0, known: 0 };
  const ask = async (): Promise<MaskingAnswer> => {
    state.asked++;
    return state.answer;
  };
  const made = new RecordingRules({ ask }, maskers, () => undefined, { tick: () => state.now, retryMs: 1 });
  made.onKnown(() => state.known++);
  return { state, made };
}
const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

describe('RecordingRules', () => {
  it('are unknown until the API has answered, and then known at once', async () => {
    const { state, made } = rules(answer());
    expect(made.of(caller)).toEqual({ kind: 'unknown' });
    await made.ready(caller);
    const known = made.of(caller);
    expect(known.kind === 'known' && known.masking?.text('hi anna', 'input')).toBe('hi [w]');
    expect(made.ready(caller)).toBeUndefined();
    expect(state).toMatchObject({ asked: 1, known: 1 });
  });

  it('are asked for again in the background, and stand while the API is away', async () => {
    const { state, made } = rules(answer());
    made.of(caller);
    await turn();
    const known = made.of(caller);
    state.now = 399;
    made.of(caller);
    expect(state.asked).toBe(1);
    state.now = 400;
    expect(made.of(caller)).toBe(known);
    await turn();
    expect(made.of(caller)).toBe(known);
    state.now = 2_000;
    state.answer = { kind: 'unavailable' };
    made.of(caller);
    await turn();
    expect(made.of(caller)).toBe(known);
    state.now = 4_000;
    state.answer = answer([]);
    made.of(caller);
    await turn();
    expect(made.of(caller)).toEqual({ kind: 'known', masking: null });
  });

  it('are waited for by a call that comes after a pause, unless the API is away', async () => {
    const { state, made } = rules(answer([]));
    await made.ready(caller);
    state.answer = answer();
    state.now = 799;
    expect(made.ready(caller)).toBeUndefined();
    await turn();
    state.now = 10_000;
    state.answer = answer([]);
    await made.ready(caller);
    expect(made.of(caller)).toEqual({ kind: 'known', masking: null });
    state.now = 20_000;
    state.answer = { kind: 'unavailable' };
    await made.ready(caller);
    state.now = 30_000;
    expect(made.ready(caller)).toBeUndefined();
    expect(made.of(caller)).toEqual({ kind: 'known', masking: null });
    await turn();
    state.now = 40_000;
    state.answer = answer();
    expect(made.ready(caller)).toBeUndefined();
    await turn();
    expect(made.of(caller)).toMatchObject({ kind: 'known', masking: expect.anything() });
  });

  it('are withheld by an API that refuses', async () => {
    const refused = rules({ kind: 'refused' });
    await refused.made.ready(caller);
    expect(refused.made.of(caller)).toEqual({ kind: 'refused' });
  });

  it('mask texts as a whole where they name a masker that is not loaded', async () => {
    const { made } = rules(answer(), []);
    await made.ready(caller);
    const known = made.of(caller);
    expect(known.kind === 'known' && known.masking?.text('hi', 'input')).toBe('[masked]');
    expect(known.kind === 'known' && known.masking?.text('hi', 'output')).toBe('hi');
  });

  it('are pursued for those that wait, until they are known', async () => {
    const { state, made } = rules({ kind: 'unavailable' });
    const seen: string[] = [];
    const settled = Promise.withResolvers<void>();
    made.onKnown(() => {
      const { kind } = made.of(caller);
      seen.push(kind);
      state.now += 10;
      if (seen.length === 3) state.answer = answer();
      if (kind === 'unknown') made.pursue();
      else settled.resolve();
    });
    made.of(caller);
    made.pursue();
    await settled.promise;
    expect(seen.slice(0, 3)).toEqual(['unknown', 'unknown', 'unknown']);
    made.close();
  });
});
