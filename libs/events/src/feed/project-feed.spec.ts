import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { createLogger, LOCAL_SCOPE } from '@spandrel/kernel';
import fc from 'fast-check';
import type { EventBatch } from '../log/event-batch.js';
import { EventFilter, type Frames } from '../stream/event-filter.js';
import { ProjectFeed, type FeedMember } from './project-feed.js';

const batch = (firstSeq: number, count: number): EventBatch => ({
  projectId: 'local',
  firstSeq,
  lastSeq: firstSeq + count - 1,
  lines: Array.from({ length: count }, (_, n) => `{"type":"cleared","n":${firstSeq + n}}`),
});

/** A log that holds what was appended, and answers after some turns of the event loop. */
class FakeLog {
  readonly rows: EventBatch[] = [];
  reads = 0;
  fails = 0;
  turns = 1;

  async newest(): Promise<number> {
    return this.rows.at(-1)?.lastSeq ?? 0;
  }

  async slice(_scope: unknown, afterSeq: number): Promise<EventBatch[]> {
    this.reads++;
    if (this.fails > 0 && this.fails--) throw new Error('the database is gone');
    const slice = this.rows.filter(({ lastSeq }) => lastSeq > afterSeq).slice(0, 2);
    for (let turn = 0; turn < this.turns; turn++) await nextTurn();
    return slice;
  }
}

class Member implements FeedMember {
  readonly filter = new EventFilter();
  readonly pieces: Frames[] = [];

  failures = 0;

  /** @param throwsAt which delivery fails. */
  constructor(private readonly throwsAt = Infinity) {}

  deliver(frames: Frames): void {
    if (this.pieces.length === this.throwsAt) throw new Error('thrown on purpose');
    this.pieces.push(frames);
  }

  fail(): void {
    this.failures++;
    if (this.throwsAt % 2 === 1) throw new Error('thrown on purpose once more');
  }

  /** What has come, once it is that, or after a while what it is instead. */
  async has(ids: readonly number[]): Promise<void> {
    for (let waited = 0; waited < 1_000 && this.ids.length < ids.length; waited++) await sleep(10);
    // What should not come has had its turn too.
    await sleep(5);
    expect(this.ids).toEqual(ids);
  }

  get ids(): number[] {
    return this.pieces.flatMap(({ bytes }) =>
      [...bytes.toString().matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)),
    );
  }
}

function makeFeed(log = new FakeLog()) {
  const feed = new ProjectFeed(LOCAL_SCOPE, { log, logger: createLogger('silent', 'test') });
  return { log, feed };
}

describe('ProjectFeed', () => {
  it('sends what comes in one turn as one piece of bytes, the same for all', async () => {
    const { feed } = makeFeed();
    feed.begin(0);
    const members = [new Member(), new Member()];
    for (const member of members) expect(feed.join(member, 0, false)).toHaveProperty('missed.count', 0);
    for (const seq of [1, 2, 3]) feed.publish(batch(seq, 1));
    await nextTurn();
    await nextTurn();
    expect(members.map(({ pieces }) => pieces.length)).toEqual([1, 1]);
    expect(members[0]!.pieces[0]!.bytes).toBe(members[1]!.pieces[0]!.bytes);
    expect(members[0]!.ids).toEqual([1, 2, 3]);
  });

  it('ignores what it has had, also in part', async () => {
    const { feed } = makeFeed();
    feed.begin(3);
    const member = new Member();
    feed.join(member, 3, false);
    for (const each of [batch(1, 3), batch(3, 3), batch(4, 2), batch(5, 2)]) feed.publish(each);
    await member.has([4, 5, 6]);
  });

  it('begins with what was published while its beginning was looked up', async () => {
    const { feed } = makeFeed();
    feed.publish(batch(4, 1));
    feed.publish(batch(5, 1));
    feed.begin(4);
    const member = new Member();
    feed.join(member, 4, false);
    await member.has([5]);
  });

  it('goes on behind what was pruned', async () => {
    const { feed, log } = makeFeed();
    feed.begin(2);
    const member = new Member();
    feed.join(member, 2, false);
    feed.learn(6);
    await sleep(5);
    log.rows.push(batch(7, 1));
    feed.publish(batch(7, 1));
    await member.has([7]);
    log.rows.push(batch(10, 2));
    feed.publish(batch(10, 2));
    await member.has([7, 10, 11]);
  });

  it('reads again when the log could not be read', async () => {
    const { feed, log } = makeFeed();
    feed.begin(0);
    const member = new Member();
    feed.join(member, 0, false);
    log.rows.push(batch(1, 1), batch(2, 1));
    log.fails = 1;
    feed.publish(batch(2, 1));
    await member.has([1, 2]);
  });

  it('knows the newest by heart, but only for who has read the log', async () => {
    const { feed } = makeFeed();
    feed.begin(0);
    feed.publish(batch(1, 4));
    await feed.reached(4);
    expect(feed.join(new Member(), 2, false)).toBe('behind');
    const outcome = feed.join(new Member(), 2, true);
    expect(typeof outcome === 'object' && outcome.missed.bytes.toString()).toMatch(/^id: 3\n[^]*\nid: 4\n/);
    expect(feed.join(new Member(), 5, true)).toBe('ahead');
  });

  it('hands out everything once and in order, however commits become known', async () => {
    const batches = fc.array(
      fc.record({ count: fc.integer({ min: 1, max: 4 }), announced: fc.boolean(), delay: fc.nat(6) }),
      {
        minLength: 1,
        maxLength: 25,
      },
    );
    await fc.assert(
      fc.asyncProperty(batches, fc.nat(3), fc.boolean(), async (plan, turns, pollsOnly) => {
        const { feed, log } = makeFeed();
        log.turns = turns;
        feed.begin(0);
        const member = new Member();
        feed.join(member, 0, false);
        const late: { at: number; what: EventBatch }[] = [];
        let seq = 1;
        for (const [step, { count, announced, delay }] of plan.entries()) {
          const next = batch(seq, count);
          seq += count;
          log.rows.push(next);
          if (announced && !pollsOnly) late.push({ at: step + delay, what: next });
          for (const { what } of late.filter(({ at }) => at === step)) feed.publish(what);
          if (step % 2 === 0) await nextTurn();
        }
        for (const { what } of late.filter(({ at }) => at >= plan.length)) feed.publish(what);
        feed.learn(await log.newest());
        await feed.reached(seq - 1);
        feed.close();
        expect(member.ids).toEqual(Array.from({ length: seq - 1 }, (_, n) => n + 1));
      }),
      { numRuns: 200 },
    );
  });
});

describe('a feed whose members fail', () => {
  it('ends those, leaves no other without an event, and goes on', async () => {
    const plan = fc.record({
      throwsAt: fc.array(fc.option(fc.nat(4), { nil: Infinity }), { minLength: 1, maxLength: 6 }),
      turns: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 5, maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ throwsAt, turns }) => {
        const { feed } = makeFeed();
        feed.begin(0);
        const members = throwsAt.map((at) => new Member(at));
        for (const member of members) feed.join(member, 0, false);
        let seq = 0;
        for (const count of turns) {
          feed.publish(batch(seq + 1, count));
          seq += count;
          await nextTurn();
        }
        await feed.reached(seq);
        await nextTurn();
        for (const [n, { ids, failures, pieces }] of members.entries()) {
          const fails = throwsAt[n]! < turns.length;
          expect(failures).toBe(fails ? 1 : 0);
          expect(fails ? pieces.length : ids).toEqual(
            fails ? throwsAt[n] : Array.from({ length: seq }, (_, i) => i + 1),
          );
        }
      }),
      { seed: 20_261_122, numRuns: 100 },
    );
  });

  it('ends all of a project when events cannot be made into bytes, and serves who comes back', async () => {
    const { feed } = makeFeed();
    feed.begin(0);
    const members = [new Member(), new Member()];
    for (const member of members) feed.join(member, 0, false);
    jest.spyOn(members[0]!.filter, 'frames').mockImplementationOnce(() => {
      throw new Error('thrown on purpose');
    });
    feed.publish(batch(1, 1));
    await feed.reached(1);
    while (members.some(({ failures }) => failures === 0)) await nextTurn();
    expect(members.map(({ ids }) => ids)).toEqual([[], []]);
    const again = new Member();
    feed.join(again, 1, false);
    feed.publish(batch(2, 1));
    await again.has([2]);
  });
});

describe('a large event for many clients', () => {
  const large: EventBatch = { ...batch(1, 1), lines: [`{"type":"cleared","text":"${'x'.repeat(1 << 20)}"}`] };

  it('leaves turns to others, and is not sent to who has left or has it already', async () => {
    const { feed } = makeFeed();
    feed.begin(0);
    const members = Array.from({ length: 40 }, () => new Member());
    for (const member of members) feed.join(member, 0, false);
    feed.publish(large);
    await nextTurn();
    await nextTurn();
    const served = members.filter(({ pieces }) => pieces.length > 0).length;
    expect(served).toBeGreaterThan(0);
    expect(served).toBeLessThan(40);
    feed.leave(members[39]!);
    const late = new Member();
    feed.join(late, 1, false);
    feed.publish(batch(2, 1));
    await feed.reached(2);
    await sleep(5);
    for (const member of members.slice(0, 39)) expect(member.ids).toEqual([1, 2]);
    expect(members[39]!.ids).toEqual([]);
    expect(late.ids).toEqual([2]);
  });
});
