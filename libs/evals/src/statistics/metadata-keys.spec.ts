import { describe, expect, it } from '@jest/globals';
import type { Gate } from '@spandrel/contract';
import { MetadataKeys } from './metadata-keys.js';

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
        message: 'no datapoint has "lagal" as category in its metadata; there are legal, tone (legal?)',
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
        message: 'no datapoint has "categroy" in its metadata; there are category, level, topic, id (category?)',
      },
      {
        member: 'cluster_by',
        message: 'no datapoint has "docs" in its metadata; there are category, level, topic, id',
      },
    ]);
    expect(resolve({ by: 'id' }).faults).toEqual([
      { member: 'by', message: 'id has more than 200 values, or too long ones' },
    ]);
    expect(new MetadataKeys().resolve({ ...mean, by: 'a' }, []).faults[0]?.message).toBe(
      'no datapoint has "a" in its metadata; there is none',
    );
  });
});
