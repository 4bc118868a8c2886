import type { CompareScoring } from './compare-scoring.js';
import { describe, expect, it } from '@jest/globals';
import type { DatasetSnapshots } from '@spandrel/datasets';
import type { Scope } from '@spandrel/kernel';
import type { EvalRunRow } from '../eval-run.entity.js';
import { RESULT_STATUS } from '../eval-run.js';
import { toMeasures, MeasureRun, type Counting } from './measure-run.js';
import type { SampleScoresRow, SampleScoresStore } from './sample-scores.store.js';

const SCOPE = { projectId: 'p' } as Scope;
const { completed, failed } = RESULT_STATUS;

const row = (datapointId: string, repeat = 0, members: Partial<SampleScoresRow> = {}): SampleScoresRow => ({
  ...{ datapointId, repeat, status: completed, score: 1, said: null, latencyMs: 10, cost: null, judgeCost: null },
  ...members,
});

const RUN = {
  ...{ datasetId: 'd', datasetVersion: 3, total: 4, repeats: 2, passScore: 0.5, scoring: 'Mine' },
  ...{ scorers: null, scoringConfig: null },
} as EvalRunRow;

const COUNTING: Counting = { failedAs: 'excluded', clusterBy: null };

function read(slices: SampleScoresRow[][], counting = COUNTING, metadata: Record<string, unknown> = {}) {
  const asked: string[][] = [];
  const store = {
    async *slices() {
      yield* slices;
    },
  };
  const contents = {
    metadata: async (_scope: Scope, _snapshot: object, ids: string[]) => {
      asked.push(ids);
      return new Map(Object.entries(metadata));
    },
  };
  const reader = new MeasureRun(
    store as unknown as SampleScoresStore,
    contents as unknown as DatasetSnapshots,
    {} as CompareScoring,
  );
  return { asked, samples: reader.readSamples(SCOPE, RUN, counting, {}) };
}

describe('what is read of a sample', () => {
  it('is its own score, where that of the only scorer is nowhere else', () => {
    expect(toMeasures(row('a', 0, { cost: 0.1, judgeCost: 0.2 }), ['Mine']).cost).toBe(0.3);
    expect(toMeasures(row('a', 0, { judgeCost: 0.2 }), ['Mine']).cost).toBe(0.2);
    expect(toMeasures(row('a', 0, { score: 0.4, cost: 0.5 }), ['Mine'])).toEqual({
      ...{ failed: false, score: 0.4, scores: [0.4], latencyMs: 10, cost: 0.5 },
    });
    const gone = row('a', 0, { status: failed, score: null, latencyMs: null });
    expect(toMeasures(gone, ['Mine'])).toEqual({
      ...{ failed: true, score: null, scores: [null], latencyMs: null, cost: null },
    });
    expect(toMeasures(gone, ['exact', 'tone']).scores).toEqual([]);
  });

  it('is the score of each scorer, also where one of them failed the sample', () => {
    const said = '1,"reason":"it is so",\nnull,"reason":null,"er';
    expect(toMeasures(row('a', 0, { status: failed, score: null, said }), ['exact', 'tone'])).toMatchObject({
      ...{ failed: true, score: null, scores: [1, null] },
    });
  });
});

describe('samples that are read in slices', () => {
  it('come together by datapoint, wherever a slice ends', async () => {
    const rows = [
      row('a'),
      row('a', 1, { score: 0 }),
      row('b'),
      row('c'),
      row('c', 1, { status: failed, score: null }),
    ];
    for (let at = 0; at <= rows.length; at++) {
      const { ids, score, samples, failedSamples } = await read([rows.slice(0, at), rows.slice(at)]).samples;
      expect([ids, samples, failedSamples]).toEqual([['a', 'b', 'c'], 5, 1]);
      expect([[...score.counts], [...score.means]]).toEqual([
        [2, 1, 1],
        [0.5, 1, 1],
      ]);
    }
  });

  it('may be none', async () => {
    expect((await read([]).samples).ids).toEqual([]);
  });

  it('are clustered by what the snapshot says of them', async () => {
    const metadata = { a: { doc: 1 }, b: { doc: 1 }, c: {} };
    const clustered = { ...COUNTING, clusterBy: 'doc' };
    const { asked, samples } = read([[row('a'), row('b')], [row('c')]], clustered, metadata);
    expect([...(await samples).clusters!.numbers.slice(0, 3)]).toEqual([0, 0, 1]);
    expect(asked).toEqual([['a'], ['b'], ['c']]);
    const plain = read([[row('a')]]);
    expect((await plain.samples).clusters).toBeNull();
    expect(plain.asked).toEqual([]);
  });
});
