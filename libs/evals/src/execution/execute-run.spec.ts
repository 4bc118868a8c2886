import { describe, expect, it } from '@jest/globals';
import type { OpenConnection } from '@spandrel/connections';
import { createLogger, Permits, Unavailable, LOCAL_SCOPE } from '@spandrel/kernel';
import type { Provider } from '@spandrel/plugin-api';
import type { EvalRunRow } from '../eval-run.entity.js';
import type { SampleKey } from '../eval-item.js';
import { ExecuteRun, pendingSamples } from './execute-run.js';
import type { ObservedCall } from './model-call.js';
import { PrepareRun, ScoringThreads } from './prepare-run.js';
import type { ItemStep } from './add-samples.js';
import { RunSlots } from './run-slots.js';

const run = {
  projectId: 'p',
  id: 'r',
  datasetId: 'd',
  datasetVersion: 1,
  total: 2,
  progress: 0,
  repeats: 1,
  sampleProgress: 0,
  costCap: null,
  scorers: null,
  passScore: 1,
  scoring: 'Mine',
  scoringConfig: null,
  judgeConnectionId: null,
  config: JSON.stringify({ connection_id: 'c', model: 'm', system_prompt: null }),
} as EvalRunRow;

const connection = {
  providerName: 'fake',
  target: { baseUrl: null, apiKey: '' },
  provider: {
    chat: {
      buildRequest: () => ({}),
      readAnswer: () => ({ text: 'yes', error: null, usage: { inputTokens: 1, outputTokens: 1 } }),
    },
  } as unknown as Provider,
  send: async () => ({ status: 200, body: {}, excerpt: '', latencyMs: 1 }),
  redact: (text: string) => text,
  redactOutput: async (text: string) => text,
} as unknown as OpenConnection;

type WriteTrace = (datapointId: string, calls: readonly ObservedCall[]) => string | null;

/** Executes a run of two items, and sees that it is finished; `seen` sees every step and may throw, and so may `writeTrace` see every trace. */
async function execute(seen: (step: ItemStep, count: number) => void, writeTrace?: WriteTrace): Promise<ItemStep[]> {
  const config = JSON.stringify({ ...JSON.parse(run.config), ...(writeTrace && { trace: true }) });
  const steps: ItemStep[] = [];
  const finished: string[] = [];
  const datapoints = ['d1', 'd2'].map((id) => ({ id, kind: { Generic: { input: id } } }));
  const record = {
    execute: async (step: ItemStep) => {
      seen(step, steps.push(step));
      return { begun: step.next !== undefined, waits: false };
    },
  };
  const scorers = [
    { name: 'Mine', configure: () => ({ config: {} }), extension: { score: () => ({ score: 1 }) } },
  ] as never;
  const logger = createLogger('silent', 'test');
  const parts = [
    new PrepareRun({ open: async () => connection } as never, new Map(), { scorers }, new ScoringThreads({ scorers })),
    { after: async (_s: unknown, _d: unknown, after: string) => datapoints.filter(({ id }) => id > after) },
    { processed: async () => new Set() },
    new RunSlots(record as never, logger),
    {},
    { execute: async () => void finished.push('finished') },
    {},
    new Permits(10),
    {
      execute: async (_run: unknown, { datapointId }: SampleKey, calls: readonly ObservedCall[]) => {
        if (!writeTrace) throw new Error('no trace was asked for');
        return writeTrace(datapointId, calls);
      },
    },
    { findFormer: async () => ({ tries: 0 }), findReusable: async () => undefined },
    { open: async () => async () => undefined },
    new Map(),
    { concurrency: 1, callsMax: 10 },
    { of: () => null },
    logger,
  ] as unknown as ConstructorParameters<typeof ExecuteRun>;
  const never = new AbortController().signal;
  await new ExecuteRun(...parts).execute({ ...run, config }, { owner: 'me', stop: never, kill: never });
  expect(finished).toEqual(['finished']);
  return steps;
}

const finishedOf = (steps: ItemStep[]) =>
  steps.map(({ finished, next }) => [finished?.datapointId, finished?.result.error, next?.datapointId]);

describe('executing a run', () => {
  it('records each item as it begins the next', async () => {
    expect(finishedOf(await execute(() => undefined))).toEqual([
      [undefined, undefined, 'd1'],
      ['d1', null, 'd2'],
      ['d2', null, undefined],
    ]);
  });

  it('keeps a result while the database is away', async () => {
    const steps = await execute((_step, count) => {
      if (count === 2) throw new Unavailable('full');
    });
    expect(finishedOf(steps).slice(1, 3)).toEqual([
      ['d1', null, 'd2'],
      ['d1', null, 'd2'],
    ]);
    expect(steps[2]).toBe(steps[1]);
  });

  it('keeps a result that meets a conflict of the database which passes', async () => {
    const steps = await execute((_step, count) => {
      if (count === 2 || count === 3) throw new Error('deadlock detected');
    });
    expect(finishedOf(steps).slice(1)).toEqual([
      ['d1', null, 'd2'],
      ['d1', null, 'd2'],
      ['d1', null, 'd2'],
      ['d2', null, undefined],
    ]);
  });

  it('writes the trace of an item before its result, until the database takes it', async () => {
    const seen: string[] = [];
    let tries = 0;
    const steps = await execute(
      ({ finished }) => void seen.push(`item ${finished?.datapointId} ${finished?.result.traceId}`),
      (id, calls) => {
        if (++tries === 1) throw new Unavailable('full');
        seen.push(`trace ${id} ${calls.map(({ asked, attempts }) => `${asked} ${attempts}`).join()}`);
        return `t-${id}`;
      },
    );
    expect(seen).toEqual([
      'item undefined undefined',
      'trace d1 model 1',
      'item d1 t-d1',
      'trace d2 model 1',
      'item d2 t-d2',
    ]);
    expect(steps).toHaveLength(3);
  });

  it('leaves an item without a trace that can never be written', async () => {
    const steps = await execute(
      () => undefined,
      (id) => {
        if (id === 'd1') throw new Error('no such type');
        return `t-${id}`;
      },
    );
    expect(steps.map(({ finished }) => finished && [finished.result.error, finished.result.traceId])).toEqual([
      undefined,
      [null, null],
      [null, 't-d2'],
    ]);
  });

  it('fails an item whose result can never be written, and goes on', async () => {
    const steps = await execute((step) => {
      if (step.finished?.datapointId === 'd1' && step.finished.result.error === null) throw new Error('no such type');
    });
    expect(finishedOf(steps)).toEqual([
      [undefined, undefined, 'd1'],
      ['d1', null, 'd2'],
      ['d1', null, 'd2'],
      ['d1', null, 'd2'],
      ['d1', 'the result could not be stored', 'd2'],
      ['d2', null, undefined],
    ]);
  });

  it('gives up when nothing can be written at all', async () => {
    await expect(
      execute(() => {
        throw new Error('broken');
      }),
    ).rejects.toThrow('broken');
  });
});

const all = Array.from({ length: 1_203 }, (_, i) => `d${String(i).padStart(4, '0')}`);

type Next = () => Promise<SampleKey | undefined>;

function nextOf(
  snapshots: object,
  processed: () => Promise<ReadonlySet<string>>,
  sampleProgress: number,
  repeats = 1,
): Next {
  const run = { sampleProgress, repeats, datasetId: 'd', datasetVersion: 1 } as EvalRunRow;
  const samples = pendingSamples(snapshots as never, { processed } as never, LOCAL_SCOPE, run);
  return async () => (await samples.next()).value;
}

function buildItems(processed: ReadonlySet<string>, repeats = 1): { items: { next: Next }; reads: () => number } {
  let reads = 0;
  const snapshots = {
    after: async (_scope: unknown, _snapshot: unknown, after: string, limit: number) => {
      reads++;
      // A page of large datapoints ends early.
      const ids = all.filter((id) => id > after).slice(0, limit - (reads % 7));
      return ids.map((id) => ({ id, kind: { Generic: { input: id } } }));
    },
  };
  return { items: { next: nextOf(snapshots, async () => processed, processed.size, repeats) }, reads: () => reads };
}

describe('pending items', () => {
  it('are handed out once each, in order, to many slots at once', async () => {
    const { items, reads } = buildItems(new Set());
    const taken: string[] = [];
    const slot = async (): Promise<void> => {
      for (let item = await items.next(); item !== undefined; item = await items.next()) taken.push(item.datapointId);
    };
    await Promise.all(Array.from({ length: 7 }, slot));
    expect(taken).toEqual(all);
    expect(reads()).toBeLessThan(10);
  });

  it('are read ahead, so that no slot waits for a page', async () => {
    const { items, reads } = buildItems(new Set());
    const begun: number[] = [];
    for (let taken = 0; taken < 198; taken++) {
      await items.next();
      begun.push(reads());
    }
    expect([begun[0], begun.at(-1)]).toEqual([2, 2]);
  });

  it.each(['datapoints', 'samples'])(
    'end where a page of %s could not be read, whose error one slot gets',
    async (what) => {
      const page = Array.from({ length: 3 }, (_, i) => ({ id: `d${i}`, kind: { Generic: { input: i } } }));
      const snapshots = {
        after: async (_scope: unknown, _snapshot: unknown, after: string) => {
          if (after !== '' && what === 'datapoints') throw new Error('away');
          return after === '' ? page : [{ id: 'e', kind: { Generic: { input: 'e' } } }];
        },
      };
      let reads = 0;
      const processed = async () => {
        if (reads++ > 0) throw new Error('away');
        return new Set<string>();
      };
      const next = nextOf(snapshots, processed, 1);
      expect([(await next())?.datapointId, (await next())?.datapointId, (await next())?.datapointId]).toEqual([
        'd0',
        'd1',
        'd2',
      ]);
      const ended = await Promise.allSettled([next(), next()]);
      expect(ended).toMatchObject([{ reason: { message: 'away' } }, { value: undefined }]);
    },
  );

  it('leave out what is processed, also where that is whole pages', async () => {
    const processed = new Set(all.filter((_, i) => i !== 1_100));
    const { items } = buildItems(processed);
    expect((await items.next())?.datapointId).toBe('d1100');
    expect([await items.next(), await items.next()]).toEqual([undefined, undefined]);
  });

  it('come as often as the run repeats, those that are processed left out', async () => {
    const { items } = buildItems(new Set(['1 d0000', 'd0002', '1 d0002', '2 d0002']), 3);
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
