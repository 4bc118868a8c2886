import { expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { QueueItemResource, QueueStatus } from '@spandrel/contract';
import { generic, shown, type QueueAnswer, type QueueApp } from './queue-app.js';
import { repetitions } from '../support/repetitions.ts';

const DATAPOINTS = 4;
const REVIEWERS = ['ada', 'bob'];

/** What a queue is, as simply as it can be said. */
interface ModelItem {
  id: string;
  datapoint: number;
  status: QueueStatus;
  claimedBy: string | null;
  original: unknown;
  edited: unknown;
}

type Operation =
  | { type: 'enqueue'; datapoints: number[] }
  | { type: 'claim' | 'release'; item: number; reviewer: string }
  | { type: 'submit'; item: number; edited: unknown; apply: boolean }
  | { type: 'next'; reviewer: string }
  | { type: 'delete'; datapoint: number };

const reviewer = fc.constantFrom(...REVIEWERS);
const item = fc.nat(DATAPOINTS * 2);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('enqueue'),
      datapoints: fc.array(fc.nat(DATAPOINTS - 1), { maxLength: 5 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ type: fc.constantFrom('claim', 'release'), item, reviewer }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('submit'),
      item,
      edited: fc.oneof(fc.constant(undefined), fc.jsonValue(), fc.string().map(generic)),
      apply: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('next'), reviewer }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('delete'), datapoint: fc.nat(DATAPOINTS - 1) }) },
) as fc.Arbitrary<Operation>;

/** A queue in memory beside a real one: both do the same, and must answer the same. */
class Model {
  private items: ModelItem[] = [];
  private readonly kinds = new Map<number, unknown>();
  private version = 2;
  private reported = 0;

  constructor(
    private readonly app: QueueApp,
    private readonly dataset: string,
    private readonly ids: readonly string[],
  ) {
    for (const n of ids.keys()) this.kinds.set(n, shown(n));
  }

  async run(step: Operation): Promise<void> {
    switch (step.type) {
      case 'enqueue':
        return this.enqueue(step.datapoints);
      case 'next': {
        const answer = await this.app.post(`/api/datasets/${this.dataset}/queue/next`, { claimed_by: step.reviewer });
        const oldest = this.items.find(({ status }) => status === 'pending');
        return this.expectMove(answer, oldest, oldest ? null : 'queue_item_not_found', () =>
          this.claim(oldest!, step.reviewer),
        );
      }
      case 'delete':
        if (!this.kinds.delete(step.datapoint)) return;
        await this.app.deleteDatapoint(this.dataset, this.ids[step.datapoint]!);
        this.version++;
        this.items = this.items.filter(({ datapoint }) => datapoint !== step.datapoint);
        return;
      default: {
        const moved = this.items[step.item % Math.max(1, this.items.length)];
        if (moved) await this.act(step, moved);
      }
    }
  }

  /** The whole of the real queue against this one. */
  async check(): Promise<void> {
    const { body } = await this.app.get(`/api/datasets/${this.dataset}/queue`);
    expect(body.items.map(plain)).toEqual(this.items.map((queued) => this.plain(queued)));
    for (const [n, kind] of this.kinds) {
      expect(await this.app.datapoint(this.dataset, this.ids[n]!)).toEqual({ kind, version: this.version });
    }
    expect(await this.app.events(this.dataset)).toHaveLength(this.reported);
  }

  private async enqueue(datapoints: readonly number[]): Promise<void> {
    const url = `/api/datasets/${this.dataset}/queue`;
    const { status, body } = await this.app.post(url, { datapoint_ids: datapoints.map((n) => this.ids[n]) });
    const distinct = [...new Set(datapoints)];
    const missing = distinct.filter((n) => !this.kinds.has(n));
    if (missing.length > 0) {
      expect([status, body.errors.length]).toEqual([404, missing.length]);
      return;
    }
    expect([status, body.items.map(({ datapoint_id }) => datapoint_id)]).toEqual([
      201,
      distinct.map((n) => this.ids[n]),
    ]);
    for (const [index, datapoint] of distinct.entries()) {
      const open = this.items.find((queued) => queued.datapoint === datapoint && queued.status !== 'completed');
      const { id } = body.items[index]!;
      if (open) expect(id).toBe(open.id);
      else {
        const original = this.kinds.get(datapoint);
        this.items.push({ id, datapoint, status: 'pending', claimedBy: null, original, edited: null });
      }
    }
    expect(body.items.map(plain)).toEqual(
      distinct.map((n) => this.plain(this.items.findLast(({ datapoint }) => datapoint === n)!)),
    );
  }

  private async act(step: Extract<Operation, { item: number }>, moved: ModelItem): Promise<void> {
    const url = `/api/queue/${moved.id}/${step.type}`;
    const completed = moved.status === 'completed' ? 'queue_item_completed' : null;
    const notClaimed = moved.status === 'pending' ? 'queue_item_not_claimed' : null;
    if (step.type === 'claim') {
      const mine = moved.claimedBy === step.reviewer;
      const taken = moved.status === 'claimed' && !mine ? 'queue_item_already_claimed' : null;
      const answer = await this.app.post(url, { claimed_by: step.reviewer });
      return this.expectMove(answer, moved, completed ?? taken, () => this.claim(moved, step.reviewer));
    }
    if (step.type === 'release') {
      return this.expectMove(await this.app.post(url), moved, completed ?? notClaimed, () => {
        Object.assign(moved, { status: 'pending', claimedBy: null });
        this.reported++;
      });
    }
    if (step.type !== 'submit') return;
    const answer = await this.app.post(`${url}?apply=${step.apply}`, { edited_data: step.edited });
    this.expectMove(answer, moved, completed ?? notClaimed, () => {
      Object.assign(moved, { status: 'completed', edited: step.edited ?? null });
      this.reported++;
      const input = inputOf(step.edited);
      if (!step.apply || input === undefined) return;
      this.kinds.set(moved.datapoint, shown(input));
      this.version++;
    });
  }

  private claim(moved: ModelItem, by: string): void {
    if (moved.status === 'claimed') return;
    Object.assign(moved, { status: 'claimed', claimedBy: by });
    this.reported++;
  }

  /** @param refusal the code of the error, `null` where the move is allowed. */
  private expectMove(
    { status, body }: QueueAnswer,
    moved: ModelItem | undefined,
    refusal: string | null,
    move: () => void,
  ): void {
    if (refusal !== null) {
      expect([status, body.code]).toEqual([refusal === 'queue_item_not_found' ? 404 : 409, refusal]);
      return;
    }
    move();
    expect([status, plain(body)]).toEqual([200, this.plain(moved!)]);
  }

  private plain({ id, datapoint, status, claimedBy, original, edited }: ModelItem): unknown {
    return { id, datapoint: this.ids[datapoint], status, claimedBy, isAt: claimedBy !== null, original, edited };
  }
}

const plain = (resource: QueueItemResource): unknown => ({
  id: resource.id,
  datapoint: resource.datapoint_id,
  status: resource.status,
  claimedBy: resource.claimed_by,
  isAt: resource.claimed_at !== null,
  original: resource.original_data,
  edited: resource.edited_data,
});

/** The input of a kind made by {@link generic}; `undefined` for any other JSON. */
function inputOf(edited: unknown): unknown {
  const content = (edited as { Generic?: { input?: unknown } } | null | undefined)?.Generic;
  return content?.input;
}

export function queueModel(app: () => QueueApp): void {
  it('does what a simple model of it does, whatever is asked in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 40 }), async (operations) => {
        const { id, ids } = await app().dataset(DATAPOINTS);
        const model = new Model(app(), id, ids);
        for (const step of operations) await model.run(step);
        await model.check();
      }),
      { numRuns: repetitions(30) },
    );
  });
}
