import { describe, expect, it } from '@jest/globals';
import { LOCAL_SCOPE } from '@spandrel/kernel';
import type { EvalRunRow } from '../eval-run.entity.js';
import { PendingSamples } from './pending-samples.js';

const all = Array.from({ length: 1_203 }, (_, i) => `d${String(i).padStart(4, '0')}`);

function itemsOf(processed: ReadonlySet<string>, repeats = 1): { items: PendingSamples; reads: () => number } {
  let reads = 0;
  const snapshots = {
    after: async (_scope: unknown, _snapshot: unknown, after: string, limit: number) => {
      reads++;
      // A page of large datapoints ends early.
      const ids = all.filter((id) => id > after).slice(0, limit - (reads % 7));
      return ids.map((id) => ({ id, kind: { Generic: { input: id } } }));
    },
  };
  const results = { processed: async () => processed };
  const samples = {
    processed: async () =>
      [...processed].map((name) => ({ datapointId: name.slice(0, 5), repeat: Number(name.slice(6)) })),
  };
  const run = { sampleProgress: processed.size, repeats, datasetId: 'd', datasetVersion: 1 } as EvalRunRow;
  const items = new PendingSamples(snapshots, results as never, samples as never, LOCAL_SCOPE, run);
  return { items, reads: () => reads };
}

describe('pending items', () => {
  it('are handed out once each, in order, to many slots at once', async () => {
    const { items, reads } = itemsOf(new Set());
    const taken: string[] = [];
    const slot = async (): Promise<void> => {
      for (let item = await items.next(); item !== undefined; item = await items.next()) taken.push(item.datapointId);
    };
    await Promise.all(Array.from({ length: 7 }, slot));
    expect(taken).toEqual(all);
    expect(reads()).toBeLessThan(10);
  });

  it('are read ahead, so that no slot waits for a page', async () => {
    const { items, reads } = itemsOf(new Set());
    const begun: number[] = [];
    for (let taken = 0; taken < 198; taken++) {
      await items.next();
      begun.push(reads());
    }
    expect([begun[0], begun.at(-1)]).toEqual([1, 2]);
  });

  it('are read anew by the next slot that asks, when a page could not be read', async () => {
    const ids = ['a', 'b'];
    let isAway = false;
    let isHalfAway = false;
    const snapshots = {
      after: async (_scope: unknown, _snapshot: unknown, after: string) => {
        if (isAway) throw new Error('away');
        return ids.filter((id) => id > after).map((id) => ({ id, kind: { Generic: { input: id } } }));
      },
    };
    const run = { sampleProgress: 1, repeats: 1, datasetId: 'd', datasetVersion: 1 } as EvalRunRow;
    const results = {
      processed: async () => {
        if (isHalfAway) throw new Error('half away');
        return new Set<string>();
      },
    };
    const items = new PendingSamples(snapshots, results as never, {} as never, LOCAL_SCOPE, run);
    isAway = true;
    await expect(items.next()).rejects.toThrow('away');
    isAway = false;
    isHalfAway = true;
    await expect(items.next()).rejects.toThrow('half away');
    isHalfAway = false;
    expect((await items.next())?.datapointId).toBe('a');
    expect((await items.next())?.datapointId).toBe('b');
    expect(await items.next()).toBeUndefined();
  });

  it('leave out what is processed, also where that is whole pages', async () => {
    const processed = new Set(all.filter((_, i) => i !== 1_100));
    const { items } = itemsOf(processed);
    expect((await items.next())?.datapointId).toBe('d1100');
    expect([await items.next(), await items.next()]).toEqual([undefined, undefined]);
  });

  it('come as often as the run repeats, those that are processed left out', async () => {
    const { items } = itemsOf(new Set(['d0000 1', 'd0002 0', 'd0002 1', 'd0002 2']), 3);
    const taken: string[] = [];
    for (let count = 0; count < 8; count++) {
      const { datapointId, repeat } = (await items.next())!;
      taken.push(`${datapointId} ${repeat}`);
    }
    expect(taken).toEqual([
      ...['d0000 0', 'd0000 2', 'd0001 0', 'd0001 1', 'd0001 2'],
      ...['d0003 0', 'd0003 1', 'd0003 2'],
    ]);
    let rest = 0;
    while (await items.next()) rest++;
    expect(rest).toBe(all.length * 3 - 4 - 8);
  });
});
