import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CallerKey } from '../access/caller-key.js';
import { Spool, type DropReason } from './spool.js';
import { SpoolItem } from './caller-queue.js';

const item = (id: string, size: number, finished = true, caller: CallerKey | null = null): SpoolItem =>
  new SpoolItem(caller, id, null, 'x'.repeat(size), finished);

/** Takes items of the first queue; none when there is no queue. */
const take = (spooled: Spool, itemsMax: number, bytesMax: number): SpoolItem[] => {
  const [queue] = spooled.all();
  return queue ? spooled.take(queue, itemsMax, bytesMax) : [];
};

function spool(items: number, bytes: number) {
  const dropped: [string, DropReason][] = [];
  const delivered: string[] = [];
  const it = new Spool(
    { items, bytes },
    { onDropped: ({ id }, reason) => dropped.push([id, reason]), onDelivered: ({ id }) => delivered.push(id) },
  );
  return { it, dropped, delivered };
}

describe('Spool', () => {
  it('drops the newest when it is full, and only counts finished calls', () => {
    const { it: spooled, dropped } = spool(2, 1_000);
    spooled.add(item('a', 1));
    spooled.add(item('b', 1));
    spooled.add(item('c', 1));
    spooled.add(item('d', 1, false));
    expect(dropped).toEqual([['c', 'spool_full']]);
    expect(take(spooled, 10, 10).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('lets news of a start go first', () => {
    const { it: spooled, dropped } = spool(2, 1_000);
    spooled.add(item('start', 1, false));
    spooled.add(item('a', 1));
    spooled.add(item('b', 1));
    expect(dropped).toEqual([]);
    expect(take(spooled, 10, 10).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('takes no room from others for a credential whose recordings pile up', () => {
    const { it: spooled, dropped } = spool(10, 1_000);
    const [a, b] = ['a', 'b'].map((name) => new CallerKey(name, name));
    for (let i = 0; i < 12; i++) spooled.add(item(`a${i}`, 1, true, a));
    for (let i = 0; i < 6; i++) spooled.add(item(`b${i}`, 1, true, b));
    const lost = dropped.map(([id]) => id);
    expect(lost).toEqual(['a10', 'a11', 'a9', 'a8', 'a7', 'a6', 'a5', 'b5']);
    expect([...spooled.all()].map(({ count }) => count)).toEqual([5, 5]);
  });

  it('lets recordings that waited for a key go when its caller is back', () => {
    const { it: spooled } = spool(10, 1_000);
    spooled.add(item('old', 1, true, new CallerKey('a', null)));
    const [queue] = spooled.all();
    expect(queue!.deliverable).toBe(false);
    spooled.add(item('new', 1, true, new CallerKey('a', 'key')));
    expect([...spooled.all()]).toEqual([queue]);
    expect(queue!.caller!.authorization).toBe('Bearer key');
    expect(take(spooled, 10, 10).map(({ id }) => id)).toEqual(['old', 'new']);
  });

  it('keeps its bounds and its books in any order of events', () => {
    const callers = [null, ...['a', 'b'].map((name) => new CallerKey(name, name))];
    const action = fc.oneof(
      fc.record({
        do: fc.constant('add' as const),
        size: fc.integer({ min: 1, max: 40 }),
        finished: fc.boolean(),
        replaces: fc.boolean(),
        caller: fc.constantFrom(0, 0, 1, 2),
      }),
      fc.record({
        do: fc.constantFrom('take' as const, 'deliver' as const, 'fail' as const, 'drop' as const, 'shrink' as const),
      }),
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 80 }), (actions) => {
        const { it: spooled, dropped, delivered } = spool(6, 100);
        const added: SpoolItem[] = [];
        let batch: SpoolItem[] = [];
        let finished = 0;
        let start: SpoolItem | null = null;
        actions.forEach((step, index) => {
          if (step.do === 'add') {
            const next = item(`${index}`, step.size, step.finished, callers[step.caller]);
            spooled.add(next, step.replaces && start?.caller === next.caller ? start : null);
            if (step.finished) finished++;
            else start = next;
            added.push(next);
          } else if (step.do === 'take') batch = [...batch, ...take(spooled, 3, 60)];
          else {
            const taken = batch.shift();
            if (!taken) return;
            if (step.do === 'deliver') spooled.delivered(taken);
            else if (step.do === 'fail') spooled.putBack(taken);
            else if (step.do === 'drop') spooled.drop(taken, 'rejected');
            else spooled.shrink(taken, 'x');
          }
          const queued = added.filter((each) => each.queued);
          expect(spooled.count).toBeLessThanOrEqual(6);
          expect(spooled.bytes).toBeLessThanOrEqual(100);
          if (step.do === 'add') expect(queued.length).toBeLessThanOrEqual(spooled.count);
        });
        batch.forEach((each) => spooled.putBack(each));
        const rest = [...spooled.all()].flatMap((queue) => spooled.take(queue, 100, 1e9));
        expect(rest.length).toBe(spooled.count);
        expect(rest.reduce((sum, { size }) => sum + size, 0)).toBe(spooled.bytes);
        // Every finished recording is delivered, dropped and counted, or still there.
        const known = new Set([...delivered, ...dropped.map(([id]) => id), ...rest.map(({ id }) => id)]);
        expect(added.filter((each) => each.finished && known.has(each.id))).toHaveLength(finished);
        spooled.dropAll('stopped');
        expect([spooled.count, spooled.bytes, [...spooled.all()]]).toEqual([0, 0, []]);
      }),
    );
  });
});
