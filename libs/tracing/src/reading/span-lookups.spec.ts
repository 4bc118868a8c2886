import { describe, expect, it } from '@jest/globals';
import { renderSql, type Query, type Storage } from '@spandrel/storage';
import { SpanLookups } from './span-lookups.store.js';
import type { TraceLookups } from './trace-lookups.store.js';

const scope = { orgId: 'o', projectId: 'p' };
const span = (n: number, model = 'unknown') => ({
  ...{ id: `s${n}`, traceId: 't', parentId: n === 0 ? null : `s${n - 1}`, kindType: 'llm_call', model },
});

/** A storage with these spans. @returns how many ids it was asked for, and in how many statements. */
function storageWith(spans: readonly ReturnType<typeof span>[], within: readonly object[] = []) {
  const asked: number[] = [];
  const read = (query: Query<unknown>) => {
    const ids = JSON.parse(renderSql(query, 'sqlite').params.at(-2) as string) as string[];
    asked.push(ids.length);
    return Promise.resolve(spans.filter(({ id }) => ids.includes(id)));
  };
  const reads = () => ({ dialect: 'sqlite', all: () => Promise.resolve(within) });
  const storage = { dialect: 'sqlite', read, reads } as unknown as Storage;
  return { asked, lookups: new SpanLookups(storage, undefined as unknown as TraceLookups) };
}

describe('models around calls', () => {
  const named = (n: number) => ({ spanId: `s${n}`, traceId: 't' });

  it('reads the spans around a chain of calls once, not once a call', async () => {
    const chain = Array.from({ length: 300 }, (_, n) => span(n));
    const { asked, lookups } = storageWith(chain);
    const last = Array.from({ length: 200 }, (_, n) => named(n + 100));
    expect(await lookups.findModelsAround(scope, last)).toEqual([]);
    expect(asked).toEqual([400, ...Array.from({ length: 32 }, () => 1)]);
  });

  it.each([
    [32, [{ ...named(32), model: 'gpt-5' }]],
    [33, []],
  ])('goes up 32 levels: a call %i below', async (n, found) => {
    const { lookups } = storageWith(Array.from({ length: 40 }, (_, at) => span(at, at === 0 ? 'gpt-5' : undefined)));
    expect(await lookups.findModelsAround(scope, [named(n)])).toEqual(found);
  });

  it('names a call once that is asked for beside the span around it', async () => {
    const calls = [1, 2].map((n) => ({ ...named(n), model: 'gpt-5' }));
    const { lookups } = storageWith([span(0, 'gpt-5'), span(1), span(2)], calls);
    expect(await lookups.findModelsAround(scope, [named(0), named(1)])).toEqual(calls);
  });

  it('says nothing across a span that is not there or is of another trace', async () => {
    const [root, middle, call] = [span(0, 'gpt-5'), span(1), span(2)];
    expect(await storageWith([root, call]).lookups.findModelsAround(scope, [named(2)])).toEqual([]);
    const foreign = storageWith([root, { ...middle, traceId: 'other' }, call]);
    expect(await foreign.lookups.findModelsAround(scope, [named(2)])).toEqual([]);
  });
});
