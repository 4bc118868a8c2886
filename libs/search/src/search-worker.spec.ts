import { describe, expect, it } from '@jest/globals';
import { CoreSettings, createLogger } from '@spandrel/kernel';
import { ProjectRemovers, type Storage } from '@spandrel/storage';
import type { Backfill } from './backfill.js';
import type { IndexGroups } from './index-groups.js';
import type { IndexSpans } from './index-spans.js';
import type { SearchStateStore } from './search-state.store.js';
import type { SearchTaskStore } from './search-task.store.js';
import { SearchWorker } from './search-worker.js';

/** A worker for which so many tasks are always due. @returns how many batches and steps of the backfill there were. */
async function work(due: number): Promise<{ batches: number; steps: number }> {
  const stop = new AbortController();
  const done = { batches: 0, steps: 0 };
  const claim = async () => {
    if (++done.batches === 10) stop.abort();
    return Array.from({ length: due }, (_, n) => ({ projectId: 'p', kind: 0, id: `${n}`, texted: 0 }));
  };
  const worker = new SearchWorker(
    null,
    {} as CoreSettings,
    createLogger('silent', 'test'),
    { write: (run: (tx: unknown) => unknown) => run({}) } as unknown as Storage,
    { claim } as unknown as SearchTaskStore,
    {} as SearchStateStore,
    { step: async () => ++done.steps < 5 } as unknown as Backfill,
    { execute: async () => undefined } as unknown as IndexSpans,
    {} as IndexGroups,
    new ProjectRemovers([]),
  );
  await worker.doDue(() => 0, stop.signal);
  return done;
}

describe('SearchWorker', () => {
  it('goes on with spans that were there before although spans always come', async () => {
    expect(await work(1)).toEqual({ batches: 10, steps: 10 });
  });

  it('leaves them while it has as much to do as it takes at once', async () => {
    expect(await work(100)).toEqual({ batches: 10, steps: 0 });
  });

  it('ends when neither has anything more', async () => {
    expect(await work(0)).toEqual({ batches: 5, steps: 5 });
  });
});
