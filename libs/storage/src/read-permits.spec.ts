import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Unavailable } from '@spandrel/kernel';
import { ReadPermits } from './read-permits.js';

/** Permits, and the names of the reads that got one, in that order. */
function watched(max: number) {
  const permits = new ReadPermits(max);
  const order: string[] = [];
  const take = async (name: string, orgId?: string, patient = false): Promise<() => void> => {
    const leave = await permits.take({ orgId, patient });
    order.push(name);
    return leave;
  };
  return { permits, order, take };
}

/** Lets who was let in say so. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};

describe('permits for long reads', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('go to who comes first, but the last one never to a patient read', async () => {
    const { permits, order, take } = watched(2);
    const leavePatient = await take('patient', undefined, true);
    const second = take('patient 2', undefined, true);
    expect(permits.waiting).toBe(1);
    const leaveQuick = await take('quick');
    const third = take('quick 2');
    leaveQuick();
    const leaveThird = await third;
    leavePatient();
    (await second)();
    leaveThird();
    expect(order).toEqual(['patient', 'quick', 'quick 2', 'patient 2']);
    expect(permits.waiting).toBe(0);
  });

  it('are not waited for by who has gone, nor for ever', async () => {
    const permits = new ReadPermits(1);
    const leave = await permits.take();
    const gone = new AbortController();
    const abandoned = permits.take({ signal: gone.signal });
    gone.abort(new Error('gone'));
    await expect(abandoned).rejects.toThrow('gone');
    const starved = permits.take().catch((error: unknown) => error);
    const patient = permits.take({ patient: true });
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await starved).toBeInstanceOf(Unavailable);
    expect(permits.waiting).toBe(1);
    leave();
    (await patient)();
    // What left the queue took no permit with it.
    (await permits.take())();
  });

  it('are half an organization’s at most, the last of which no patient read of it takes', async () => {
    const { permits, order, take } = watched(5);
    const flood = Array.from({ length: 20 }, (_, n) => take(`search ${n}`, 'flooding', true));
    flood.push(...Array.from({ length: 20 }, (_, n) => take(`list ${n}`, 'flooding')));
    await settled();
    expect(order).toEqual(['search 0', 'search 1', 'list 0']);
    await take('other', 'other');
    await take('other 2', 'other');
    expect(order.slice(3)).toEqual(['other', 'other 2']);
    expect(permits.waiting).toBe(37);
    // One that ends makes room for one of its own.
    (await flood[0]!)();
    await settled();
    expect(order.slice(5)).toEqual(['search 2']);
  });

  it.each([1, 4])('are given in turn to organizations that wait, of %i permits', async (max) => {
    const { order, take } = watched(max);
    const begun = await Promise.all(Array.from({ length: max }, (_, n) => take('before', `before ${n}`)));
    order.length = 0;
    const reads = ['a', 'a', 'a', 'b', 'b', 'c'].map((orgId) => take(orgId, orgId));
    const ending = reads.map((read) => read.then((leave) => leave()));
    begun[0]!();
    await Promise.all(ending);
    expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
  });

  it('come to an organization that waits before those that come later, however many do', async () => {
    const { order, take } = watched(1);
    const leave = await take('a', 'a');
    const waiting = ['a', 'b', 'c'].map((orgId) => take(`${orgId} later`, orgId).then((next) => next()));
    leave();
    await Promise.all(waiting);
    expect(order).toEqual(['a', 'a later', 'b later', 'c later']);
  });

  it('keep nothing of organizations that neither read nor wait', async () => {
    const permits = new ReadPermits(1);
    const leave = await permits.take({ orgId: 'a' });
    const gone = new AbortController();
    const abandoned = permits.take({ orgId: 'b', signal: gone.signal });
    gone.abort(new Error('gone'));
    await expect(abandoned).rejects.toThrow('gone');
    leave();
    expect((permits as unknown as { turns: Map<string, unknown> }).turns.size).toBe(0);
  });
});
