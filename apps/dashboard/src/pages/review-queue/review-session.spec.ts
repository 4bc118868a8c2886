import type { QueueItemResource } from '@spandrel/contract';
import { SpandrelError } from '@spandrel/sdk/api';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  ReviewSession,
  newReviewMemory,
  note,
  type ReviewMemory,
  type Submission,
  type WriteBack,
} from './review-session.js';

const refusal = (code: 'queue_item_completed' | 'queue_item_not_claimed' | 'unreachable'): SpandrelError =>
  new SpandrelError({ status: 409, code, detail: code, errors: [] });

/** A queue as the server has it; every call is answered a turn later. */
class Queue {
  readonly calls: string[] = [];
  readonly statuses = new Map<string, QueueItemResource['status']>();
  fault: SpandrelError | null = null;
  private claims = 0;

  constructor(...ids: string[]) {
    for (const id of ids) this.statuses.set(id, 'pending');
  }

  claimed(id: string): QueueItemResource {
    this.statuses.set(id, 'claimed');
    return { id, status: 'claimed', claimed_by: 'ada', claimed_at: String(++this.claims) } as QueueItemResource;
  }

  next = async (exclude: readonly string[]): Promise<QueueItemResource | null> => {
    await this.called('next');
    const id = [...this.statuses].find(([one, status]) => status === 'pending' && !exclude.includes(one))?.[0];
    return id === undefined ? null : this.claimed(id);
  };
  read = async (id: string): Promise<QueueItemResource> => {
    await this.called(`read ${id}`);
    return { id, status: this.statuses.get(id), claimed_by: 'bob', claimed_at: 'later' } as QueueItemResource;
  };
  claim = async (id: string): Promise<QueueItemResource> => {
    await this.called(`claim ${id}`);
    if (this.statuses.get(id) === 'completed') throw refusal('queue_item_completed');
    return this.claimed(id);
  };
  release = async (id: string): Promise<void> => {
    await this.called(`release ${id}`);
    this.statuses.set(id, 'pending');
  };
  submit = async (id: string, { edited, isWrittenBack }: Submission): Promise<WriteBack> => {
    await this.called(`submit ${id}`);
    this.statuses.set(id, 'completed');
    if (!isWrittenBack) return 'not asked';
    return edited?.data === 1 ? 'refused' : 'written';
  };

  private async called(call: string): Promise<void> {
    this.calls.push(call);
    await Promise.resolve();
    if (this.fault !== null) throw this.fault;
  }
}

let queue: Queue;
let memory: ReviewMemory;
let session: ReviewSession;

/** Until the session is done with what it does. */
const settled = async (): Promise<void> => {
  for (let turns = 0; turns < 20; turns++) await Promise.resolve();
};
const itemId = (): string | undefined => session.get().item?.id;

beforeEach(async () => {
  queue = new Queue('a', 'b', 'c');
  memory = newReviewMemory();
  session = new ReviewSession(queue, memory);
  session.enter();
  await settled();
});

describe('ReviewSession', () => {
  it('claims one item, and the next one when it is handed in', async () => {
    expect(itemId()).toBe('a');
    session.submit({ isWrittenBack: false });
    session.submit({ isWrittenBack: false });
    await settled();
    expect([itemId(), session.get().said]).toEqual(['b', 'Approved. Next item.']);
    expect(queue.calls).toEqual(['next', 'submit a', 'next']);
    expect(memory).toMatchObject({ submitted: ['a'], reviewer: 'ada' });
  });

  it('gives back what is skipped or released, and is not given it again until it asks', async () => {
    session.skip();
    await settled();
    session.release();
    await settled();
    session.submit({ edited: { data: 1 }, isWrittenBack: true });
    await settled();
    expect([...queue.statuses.values()]).toEqual(['pending', 'pending', 'completed']);
    expect(session.get()).toMatchObject({
      item: null,
      isEmpty: true,
      said: 'Submitted. The datapoint is unchanged: the edit is not a valid datapoint. Nothing left to review.',
    });
    session.takeSkipped();
    await settled();
    expect([itemId(), session.get().isEmpty]).toEqual(['a', false]);
  });

  it('says what became of the datapoint', async () => {
    session.submit({ edited: { data: {} }, isWrittenBack: true });
    await settled();
    expect(session.get().said).toBe('Submitted and written back to the datapoint. Next item.');
    session.submit({ edited: { data: {} }, isWrittenBack: false });
    await settled();
    expect(session.get().said).toBe('Submitted. The datapoint is unchanged. Next item.');
  });

  it('releases what it has when its reviewer leaves', async () => {
    session.leave();
    await settled();
    expect([queue.statuses.get('a'), itemId(), session.heldWhileLeaving()]).toEqual(['pending', undefined, null]);
  });

  it('releases what comes after its reviewer has left', async () => {
    session.submit({ isWrittenBack: false });
    expect(session.heldWhileLeaving()).toBeNull();
    await Promise.resolve();
    session.leave();
    await settled();
    expect([...queue.statuses.values()]).toEqual(['completed', 'pending', 'pending']);
  });

  it('releases what was on its way as its reviewer left, and not where they came back', async () => {
    const other = new ReviewSession(queue, memory);
    other.enter();
    other.leave();
    await settled();
    expect(queue.statuses.get('b')).toBe('pending');
    other.enter();
    other.leave();
    other.enter();
    await settled();
    expect([queue.statuses.get('b'), queue.calls.filter((call) => call === 'next').length]).toEqual(['claimed', 3]);
  });

  it('keeps the item where it could not be handed in, and tries again', async () => {
    queue.fault = refusal('unreachable');
    session.submit({ isWrittenBack: false });
    await settled();
    expect([itemId(), session.get().fault?.title]).toEqual(['a', 'The item could not be submitted']);
    queue.fault = null;
    session.get().fault!.retry();
    await settled();
    expect([itemId(), session.get().fault]).toEqual(['b', null]);
  });

  it('goes on where somebody else has the item', async () => {
    session.check();
    await settled();
    expect([itemId(), session.get().said]).toEqual(['b', 'Another reviewer has claimed this item. Next item.']);
    queue.statuses.set('b', 'completed');
    session.check();
    await settled();
    expect([itemId(), session.get().said]).toEqual(['c', 'Another reviewer has completed this item. Next item.']);
  });

  it('claims an item again whose claim has ended', async () => {
    queue.statuses.set('a', 'pending');
    expect(session.isClaimedOtherwise({ id: 'a', status: 'pending', claimed_at: null })).toBe(true);
    session.check();
    await settled();
    expect([itemId(), queue.statuses.get('a')]).toEqual(['a', 'claimed']);
    expect(session.isClaimedOtherwise({ id: 'a', status: 'claimed', claimed_at: '2' })).toBe(false);
    expect(session.isClaimedOtherwise({ id: 'b', status: 'completed', claimed_at: '2' })).toBe(false);
  });

  it('does not claim an item that its reviewer hands in while it is looked at', async () => {
    session.submit({ isWrittenBack: false });
    session.check();
    await settled();
    expect([itemId(), session.get().said]).toEqual(['b', 'Approved. Next item.']);
    expect(queue.calls).toEqual(['next', 'submit a', 'read a', 'next']);
  });
});

describe('what a reviewer did', () => {
  it('has an item once, where it was last', () => {
    const list = ['a', 'b', 'c'];
    note(list, 'a');
    expect(list).toEqual(['b', 'c', 'a']);
  });
});
