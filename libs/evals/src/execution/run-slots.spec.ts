import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@spandrel/kernel';
import type { EvalRunRow } from '../eval-run.entity.js';
import type { SampleKey } from '../eval-item.js';
import type { ItemStep, StepAnswer } from './add-samples.js';
import { RunSlots } from './run-slots.js';
import type { SampleResult } from './sample-result.js';

const run = { projectId: 'p', id: 'r', repeats: 1 } as EvalRunRow;
const result = { error: null } as SampleResult;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Slots over samples `d0`, `d1` …, of which so many may be under way at once, as the record decides. */
class Lab {
  readonly steps: ItemStep[] = [];
  readonly calls = new Map<string, PromiseWithResolvers<SampleResult>>();
  readonly stop = new AbortController();
  readonly kill = new AbortController();
  atOnce = 1;
  private underWay = 0;
  private taken = 0;

  execute(slots: number, count: number): Promise<void> {
    const record = { execute: async (step: ItemStep) => this.record(step) };
    const samples = this.samples(count);
    const call = async ({ datapointId }: SampleKey): Promise<SampleResult> => {
      this.calls.set(datapointId, Promise.withResolvers<SampleResult>());
      return this.calls.get(datapointId)!.promise;
    };
    const options = { owner: 'me', stop: this.stop.signal, kill: this.kill.signal };
    return new RunSlots(record as never, createLogger('silent', 'test')).execute(
      run,
      { slots, samples, call },
      options,
    );
  }

  private async *samples(count: number): AsyncGenerator<SampleKey, undefined> {
    while (this.taken < count) yield { datapointId: `d${this.taken++}`, repeat: 0 };
    return undefined;
  }

  private record(step: ItemStep): StepAnswer {
    this.steps.push(step);
    if (step.finished) this.underWay--;
    const begun = step.next !== undefined && this.underWay < this.atOnce;
    if (begun) this.underWay++;
    return { begun, waits: step.next !== undefined && !begun };
  }

  async end(datapointId: string): Promise<void> {
    this.calls.get(datapointId)!.resolve(result);
    await turn();
  }

  get begun(): string[] {
    return [...this.calls.keys()];
  }
}

describe('slots that wait for room below a cap', () => {
  it('ask again when a sample has ended, and not before', async () => {
    const lab = new Lab();
    const done = lab.execute(3, 4);
    await turn();
    expect([lab.begun, lab.steps.length]).toEqual([['d0'], 3]);
    await turn();
    expect(lab.steps).toHaveLength(3);
    lab.atOnce = 3;
    await lab.end('d0');
    expect(lab.begun.toSorted()).toEqual(['d0', 'd1', 'd2', 'd3']);
    for (const id of ['d1', 'd2', 'd3']) await lab.end(id);
    await done;
    expect(lab.steps.flatMap(({ finished }) => finished?.datapointId ?? []).toSorted()).toEqual([
      'd0',
      'd1',
      'd2',
      'd3',
    ]);
  });

  it('leave when the run is to stop', async () => {
    const lab = new Lab();
    const done = lab.execute(3, 9);
    await turn();
    lab.stop.abort();
    await lab.end('d0');
    await done;
    expect(lab.begun).toEqual(['d0']);
  });

  it('leave when the sample that they wait for will never end', async () => {
    const lab = new Lab();
    const done = lab.execute(3, 9);
    await turn();
    lab.calls.get('d0')!.reject(new Error('broken'));
    await expect(done).rejects.toThrow('broken');
    expect(lab.begun).toEqual(['d0']);
  });

  it('leave when calls are given up', async () => {
    const lab = new Lab();
    const done = lab.execute(3, 9);
    await turn();
    lab.kill.abort();
    lab.calls.get('d0')!.reject(new Error('given up'));
    await done;
    expect(lab.begun).toEqual(['d0']);
  });
});
