import { describe, expect, it } from '@jest/globals';
import { LOCAL_SCOPE } from '@spandrel/kernel';
import type { EvalRunRow } from '../eval-run.entity.js';
import { PendingItems } from './pending-items.js';

const all = Array.from({ length: 1_203 }, (_, i) => `d${String(i).padStart(4, '0')}`);

function itemsOf(processed: ReadonlySet<string>): { items: PendingItems; reads: () => number } {
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
  const run = { progress: processed.size, datasetId: 'd', datasetVersion: 1 } as EvalRunRow;
  return { items: new PendingItems(snapshots, results as never, LOCAL_SCOPE, run), reads: () => reads };
}

describe('pending items', () => {
  it('are handed out once each, in order, to many slots at once', async () => {
    const { items, reads } = itemsOf(new Set());
    const taken: string[] = [];
    const slot = async (): Promise<void> => {
      for (let item = await items.next(); item !== undefined; item = await items.next()) taken.push(item.id);
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
    const snapshots = {
      after: async (_scope: unknown, _snapshot: unknown, after: string) => {
        if (isAway) throw new Error('away');
        return ids.filter((id) => id > after).map((id) => ({ id, kind: { Generic: { input: id } } }));
      },
    };
    const run = { progress: 0, datasetId: 'd', datasetVersion: 1 } as EvalRunRow;
    const items = new PendingItems(snapshots, { processed: async () => new Set() } as never, LOCAL_SCOPE, run);
    isAway = true;
    await expect(items.next()).rejects.toThrow('away');
    isAway = false;
    expect((await items.next())?.id).toBe('a');
    expect((await items.next())?.id).toBe('b');
    expect(await items.next()).toBeUndefined();
  });

  it('leave out what is processed, also where that is whole pages', async () => {
    const processed = new Set(all.filter((_, i) => i !== 1_100));
    const { items } = itemsOf(processed);
    expect((await items.next())?.id).toBe('d1100');
    expect([await items.next(), await items.next()]).toEqual([undefined, undefined]);
  });
});
