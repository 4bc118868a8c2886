import { describe, expect, it } from '@jest/globals';
import type { DatasetSnapshots } from '@spandrel/datasets';
import type { Scope } from '@spandrel/kernel';
import type { Gate } from '@spandrel/contract';
import type { CompareScoring } from './compare-scoring.js';
import type { EvalRunRow } from '../eval-run.entity.js';
import { RESULT_STATUS } from '../eval-run.js';
import { toMeasures, MeasureRun, type Counting, MetadataKeys } from './measure-run.js';
import type { SampleScoresRow, SampleScoresStore } from './sample-scores.store.js';

const SCOPE = { projectId: 'p' } as Scope;
const { completed, failed } = RESULT_STATUS;

const row = (datapointId: string, repeat = 0, members: Partial<SampleScoresRow> = {}): SampleScoresRow => ({
  ...{
    datapointId,
    repeat,
    status: completed,
    score: 1,
    said: null,
    preferences: null,
    latencyMs: 10,
    cost: null,
    judgeCost: null,
    reused: 0,
  },
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
    { isComparing: () => false } as unknown as CompareScoring,
  );
  return { asked, samples: reader.readSamples(SCOPE, RUN, counting) };
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

function keysOf(...metadata: unknown[]): MetadataKeys {
  const keys = new MetadataKeys(['wanted']);
  for (const each of metadata) keys.add(each);
  return keys;
}

const mean = { metric: 'mean', op: '>=', value: 0.5 } as const;

describe('the keys of metadata', () => {
  it('are counted with their values, alike whatever the order of members', () => {
    const keys = keysOf(
      { a: 'x', o: { p: 1, q: 2 } },
      { a: 'x', o: { q: 2, p: 1 } },
      { a: 1, n: null },
      null,
      'text',
      [1],
    );
    expect(keys.toAnswer()).toEqual({
      keys: [
        { key: 'a', datapoints: 3, values: ['x', 1], has_more: false },
        { key: 'o', datapoints: 2, values: [{ p: 1, q: 2 }], has_more: false },
      ],
    });
    expect([keys.has('n'), keys.datapoints]).toEqual([false, 6]);
  });

  it('are a hundred beside those that were asked for, with 200 values that are not too long', () => {
    const many = keysOf(...Array.from({ length: 300 }, (_, i) => ({ id: i, [`k${i}`]: 1 })), {
      wanted: 'x'.repeat(300),
    });
    const { keys } = many.toAnswer();
    expect(keys).toHaveLength(101);
    expect(keys[0]).toMatchObject({ key: 'id', datapoints: 300, has_more: true });
    expect(keys[0]!.values).toHaveLength(200);
    expect(keys.at(-1)).toEqual({ key: 'wanted', datapoints: 1, values: [], has_more: true });
  });
});

describe('values of more digits than a number keeps', () => {
  it('are distinguished as texts, by which gates name them', () => {
    const keys = new MetadataKeys();
    const [one, other] = ['12345678901234567890', '12345678901234567891'];
    for (const doc of [one, other, '7']) keys.add({ doc: JSON.rawJSON(doc) });
    expect(keys.toAnswer().keys).toMatchObject([{ key: 'doc', values: [one, other, 7] }]);
    const gate = { metric: 'mean', op: '>=', value: 1, group: { key: 'doc', value: other } } as const;
    expect(keys.resolve(gate, [])).toEqual({ gate, faults: [] });
  });
});

describe('what a gate names of the metadata', () => {
  const keys = keysOf(
    { category: 'legal', level: 3, topic: 'law' },
    { category: 'tone', level: 4, topic: 'legal' },
    ...Array.from({ length: 201 }, (_, id) => ({ id })),
  );
  const resolve = (gate: Partial<Gate>, scorers = ['tone', 'a.b']) => keys.resolve({ ...mean, ...gate }, scorers);
  const groupOf = (gate: Partial<Gate>) => {
    const { gate: found, faults } = resolve(gate);
    return [found.group ?? null, found.scorer ?? null, faults.map(({ member }) => member)];
  };

  it('is a group by its value, with the key that has it', () => {
    expect(groupOf({ group: { key: 'category', value: 'legal' } })).toEqual([
      { key: 'category', value: 'legal' },
      null,
      [],
    ]);
    expect(groupOf({ group: { value: 'law' } })).toEqual([{ key: 'topic', value: 'law' }, null, []]);
    expect(groupOf({ group: { key: 'category', value: null } })).toEqual([{ key: 'category', value: null }, null, []]);
    // A command line has texts alone.
    expect(groupOf({ group: { key: 'level', value: '3' } })).toEqual([{ key: 'level', value: 3 }, null, []]);
    expect(resolve({ group: { value: 'legal' } }).faults).toEqual([
      { member: 'group.key', message: 'is required, since category, topic have the value "legal"' },
    ]);
    expect(resolve({ group: { value: null } }).faults[0]?.member).toBe('group.key');
    expect(resolve({ group: { key: 'category', value: 'lagal' } }).faults).toEqual([
      {
        member: 'group.value',
        message: 'is "lagal", which no datapoint has as category in its metadata; there are legal, tone (legal?)',
      },
    ]);
  });

  it('is a group by the name of a scorer that is none', () => {
    expect(groupOf({ scorer: 'law' })).toEqual([{ key: 'topic', value: 'law' }, null, []]);
    expect(groupOf({ scorer: 'law.tone' })).toEqual([{ key: 'topic', value: 'law' }, 'tone', []]);
    expect(groupOf({ scorer: 'law.a.b' })).toEqual([{ key: 'topic', value: 'law' }, 'a.b', []]);
    // The scorer comes first; the group is category:tone then.
    expect(groupOf({ scorer: 'tone' })).toEqual([null, 'tone', []]);
    expect(groupOf({ scorer: 'nobody' })).toEqual([null, 'nobody', []]);
    expect(groupOf({ scorer: 'legal' })).toEqual([{ value: 'legal' }, null, ['group.key']]);
  });

  it('is a member that some datapoint has, with as many values as there may be groups', () => {
    expect(resolve({ by: 'category', cluster_by: 'id' }).faults).toEqual([]);
    expect(resolve({ by: 'categroy', cluster_by: 'docs' }).faults).toEqual([
      {
        member: 'by',
        message:
          'names "categroy", which no datapoint has in its metadata; there are category, level, topic, id (category?)',
      },
      {
        member: 'cluster_by',
        message: 'names "docs", which no datapoint has in its metadata; there are category, level, topic, id',
      },
    ]);
    expect(resolve({ by: 'id' }).faults).toEqual([
      { member: 'by', message: 'names id, which has more than 200 values, or too long ones' },
    ]);
    expect(new MetadataKeys().resolve({ ...mean, by: 'a' }, []).faults[0]?.message).toBe(
      'names "a", which no datapoint has in its metadata; there is none',
    );
  });
});
