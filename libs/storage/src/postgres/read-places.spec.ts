import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Unavailable } from '@spandrel/kernel';
import { ReadPlaces } from './read-places.js';

describe('places for long reads', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('go to who comes first, but the last one never to a patient read', async () => {
    const places = new ReadPlaces(2);
    const order: string[] = [];
    const take = async (name: string, patient: boolean): Promise<() => void> => {
      const leave = await places.take({ patient });
      order.push(name);
      return leave;
    };
    const leavePatient = await take('patient', true);
    const second = take('patient 2', true);
    expect(places.waiting).toBe(1);
    const leaveQuick = await take('quick', false);
    const third = take('quick 2', false);
    leaveQuick();
    const leaveThird = await third;
    leavePatient();
    (await second)();
    leaveThird();
    expect(order).toEqual(['patient', 'quick', 'quick 2', 'patient 2']);
    expect(places.waiting).toBe(0);
  });

  it('are not waited for by who has gone, nor for ever', async () => {
    const places = new ReadPlaces(1);
    const leave = await places.take();
    const gone = new AbortController();
    const abandoned = places.take({ signal: gone.signal });
    gone.abort(new Error('gone'));
    await expect(abandoned).rejects.toThrow('gone');
    const starved = places.take().catch((error: unknown) => error);
    const patient = places.take({ patient: true });
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await starved).toBeInstanceOf(Unavailable);
    expect(places.waiting).toBe(1);
    leave();
    (await patient)();
    // What left the queue took no place with it.
    (await places.take())();
  });
});
