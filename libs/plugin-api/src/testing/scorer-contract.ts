import assert from 'node:assert/strict';
import { pluginConfigSchema, type ScorerPlugin } from '../plugin.js';
import type { Score, Scorer, ScoreSample } from '../scorer.js';
import { deepFreeze, type TestFunctions, describePlugin, setUpPlugin, type ConfigFixtures } from './set-up-plugin.js';

export interface ScorerContract<Config> {
  plugin: ScorerPlugin<Config>;
  configs: ConfigFixtures;
  needsExpected: boolean;
  /** `false` when left out. */
  needsBaseline?: boolean;
  /** Configs that the schema takes and no run may have, by the path of what is wrong with them. */
  refusedRuns?: readonly { config: unknown; path: string }[];
  samples: readonly ScoreFixture[];
}

/**
 * A sample and its score; `judge` answers `complete`, `vector` makes what `embed` returns, `config` is laid over the first accepted
 * config.
 */
export interface ScoreFixture {
  name: string;
  sample: Partial<Pick<ScoreSample, 'input' | 'output' | 'expected' | 'baseline' | 'rubric' | 'latencyMs' | 'cost'>> & {
    config?: object;
  };
  judge?: (prompt: string) => string;
  vector?: (text: string) => number[];
  expected: number | null;
}

/** Time a scorer has to stop once its signal aborts. */
const ABORT_MS = 1_000;

/** The tests every scorer plugin must pass. */
export function describeScorerContract<Config>(
  contract: ScorerContract<Config>,
  { describe, it }: TestFunctions,
): void {
  const { plugin, configs } = contract;
  const provide = async (): Promise<Scorer<Config>> => setUpPlugin(plugin, configs.accepted[0]);
  const sampleOf = (fixture: ScoreFixture): ScoreSample<Config> => ({
    ...deepFreeze({
      input: 'question',
      output: 'answer',
      expected: undefined,
      rubric: undefined,
      latencyMs: 100,
      cost: 0.001,
      ...(contract.needsBaseline && { baseline: 'the answer of another run' }),
      ...fixture.sample,
      config: pluginConfigSchema(plugin).parse({
        ...(configs.accepted[0] as object),
        ...fixture.sample.config,
      }) as Config,
    }),
    complete: completeBy(fixture),
    embed: embedBy(fixture),
    signal: new AbortController().signal,
  });

  describe(`scorer plugin ${plugin.name}`, () => {
    describePlugin(plugin, 'scorer', configs, { describe, it });
    it('says whether it needs an expected value', async () => {
      assert.equal((await provide()).needsExpected, contract.needsExpected);
    });
    it('says whether it needs a baseline', async () => {
      assert.equal((await provide()).needsBaseline ?? false, contract.needsBaseline ?? false);
    });
    if (contract.needsBaseline) {
      it('finds an answer as good as itself', async () => {
        const fixture = {
          ...contract.samples[0]!,
          sample: { ...contract.samples[0]!.sample, output: 'a', baseline: 'a' },
        };
        assert.equal(assertScore(await (await provide()).score(sampleOf(fixture))).score, 0.5);
      });
    }
    for (const { config, path } of contract.refusedRuns ?? []) {
      it(`refuses a run with the config ${JSON.stringify(config).slice(0, 100)}`, async () => {
        const faults = (await provide()).configFaults?.(pluginConfigSchema(plugin).parse(config) as Config) ?? [];
        assert.deepEqual([...new Set(faults.map((fault) => fault.path))], [path]);
        for (const { message } of faults) assert.equal(typeof message, 'string');
      });
    }
    it('finds no fault in the configs of its samples', async () => {
      const scorer = await provide();
      for (const fixture of contract.samples) {
        assert.deepEqual(scorer.configFaults?.(sampleOf(fixture).config) ?? [], [], fixture.name);
      }
    });
    for (const fixture of contract.samples) {
      it(`scores ${fixture.name}`, async () => {
        const scorer = await provide();
        const score = assertScore(await scorer.score(sampleOf(fixture)));
        assert.equal(score.score, fixture.expected);
        assert.deepEqual(await scorer.score(sampleOf(fixture)), score, 'the same again');
      });
    }
    it('scores many at once', async () => {
      const scorer = await provide();
      const scores = await Promise.all(contract.samples.map(async (fixture) => scorer.score(sampleOf(fixture))));
      assert.deepEqual(
        scores.map(({ score }) => score),
        contract.samples.map(({ expected }) => expected),
      );
    });
    it('gives samples that are judged alike the same prompt hash', async () => {
      const scorer = await provide();
      const hashes = new Map<string, string | undefined>();
      for (const fixture of contract.samples) {
        const { config, rubric } = sampleOf(fixture);
        const alike = JSON.stringify([config, rubric]);
        const { promptHash } = await scorer.score(sampleOf(fixture));
        if (hashes.has(alike)) assert.equal(promptHash, hashes.get(alike), fixture.name);
        hashes.set(alike, promptHash);
      }
    });
    for (const fixture of contract.samples.filter(({ judge, vector }) => judge ?? vector)) {
      it(`stops ${fixture.name} when its signal aborts`, async () => {
        const abort = new AbortController();
        const scoring = settled(
          (await provide()).score({ ...sampleOf(fixture), complete: never, embed: never, signal: abort.signal }),
        );
        abort.abort(new Error('stopped'));
        assert.equal(await Promise.race([scoring, later(ABORT_MS)]), 'stopped');
      });
    }
  });
}

const completeBy =
  ({ judge }: ScoreFixture): ScoreSample['complete'] =>
  async ({ messages }) => {
    assert.ok(judge, 'asks a judge although the fixture has none');
    return { text: judge(messages.map(({ content }) => String(content)).join('\n')) };
  };

const embedBy =
  ({ vector }: ScoreFixture): ScoreSample['embed'] =>
  async ({ texts }) => {
    assert.ok(vector, 'asks for vectors although the fixture makes none');
    assert.ok(!texts.includes(''), 'asks for the vector of an empty text');
    return { vectors: texts.map(vector) };
  };

function assertScore(score: Score): Score {
  assert.ok(score.score === null || (score.score >= 0 && score.score <= 1), `${score.score} is not from 0 to 1`);
  assert.ok(score.reason === undefined || typeof score.reason === 'string');
  assert.ok(
    score.promptHash === undefined || /^[0-9a-f]{64}$/.test(score.promptHash),
    `${score.promptHash} is no SHA-256`,
  );
  for (const preferred of Object.values(score.preference ?? {})) {
    assert.match(preferred, /^(baseline|output|neither)$/);
  }
  for (const member of Object.keys(score)) assert.match(member, /^(score|reason|promptHash|preference)$/);
  return score;
}

const never = (): Promise<never> => new Promise(() => {});

const settled = (scoring: Promise<Score> | Score): Promise<'stopped'> =>
  Promise.resolve(scoring).then(
    () => 'stopped',
    () => 'stopped',
  );

const later = (ms: number): Promise<'still running'> =>
  new Promise((resolve) => setTimeout(resolve, ms, 'still running').unref());
