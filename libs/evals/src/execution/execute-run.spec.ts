import { describe, expect, it } from '@jest/globals';
import { createLogger, Unavailable } from '@spandrel/kernel';
import type { OpenConnection } from '@spandrel/connections';
import type { Provider } from '@spandrel/plugin-api';
import type { EvalRunRow } from '../eval-run.entity.js';
import { ExecuteRun } from './execute-run.js';
import type { NotedCall } from './note-call.js';
import { Permits } from './permits.js';
import { PrepareRun } from './prepare-run.js';
import type { ItemStep } from './record-items.js';
import type { SampleKey } from '../running-items.js';
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

type WriteTrace = (datapointId: string, calls: readonly NotedCall[]) => string | null;

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
    new PrepareRun({ open: async () => connection } as never, new Map(), { scorers }),
    { after: async (_s: unknown, _d: unknown, after: string) => datapoints.filter(({ id }) => id > after) },
    { processed: async () => new Set() },
    {},
    new RunSlots(record as never, logger),
    {},
    { execute: async () => void finished.push('finished') },
    {},
    new Permits(10),
    {
      execute: async (_run: unknown, { datapointId }: SampleKey, calls: readonly NotedCall[]) => {
        if (!writeTrace) throw new Error('no trace was asked for');
        return writeTrace(datapointId, calls);
      },
    },
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
