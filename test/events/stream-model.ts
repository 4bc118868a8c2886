import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DomainEvents } from '@spandrel/events';
import type { EventPayload, EventType } from '@spandrel/contract';
import { scopeOfProject } from '../support/in-process.ts';
import type { ServerApp } from '../support/server-app.ts';
import { until } from '../support/spandrel.ts';
import { EventClient, range, type SeenEvent } from './event-client.ts';
import { anyRows } from '../support/any-rows.ts';

const FILTERS: (EventType[] | undefined)[] = [
  undefined,
  ['span_deleted'],
  ['trace_deleted', 'cleared'],
  ['eval_started'],
];

/** A transaction of a writer. */
interface Write {
  instance: number;
  /** Project and kind of each event. */
  events: { project: number; kind: number }[];
  fails: boolean;
  pauseMs: number;
}

/** A client that comes back each time it was cut. */
interface Listening {
  instance: number;
  project: number;
  filter: number;
  /** Part of the log that exists when it joins; from the end when left out. */
  since: number | undefined;
  joinsAfterMs: number;
  /** After how many events it goes away, to resume on the next instance. */
  leavesAfter: number[];
}

const eventKinds = fc.record({ project: fc.nat(1), kind: fc.nat(2) });
const writes: fc.Arbitrary<Write> = fc.record({
  instance: fc.nat(),
  events: fc.array(eventKinds, { minLength: 1, maxLength: 6 }),
  fails: fc.boolean(),
  pauseMs: fc.nat(3),
});
const listenings: fc.Arbitrary<Listening> = fc.record({
  instance: fc.nat(),
  project: fc.nat(1),
  filter: fc.nat(FILTERS.length - 1),
  since: fc.option(fc.double({ min: 0, max: 1.2, noNaN: true }), { nil: undefined }),
  joinsAfterMs: fc.nat(40),
  leavesAfter: fc.array(fc.nat(8), { maxLength: 4 }),
});

export interface StreamModelOptions {
  runs: number;
  settleMs?: number;
  /** Done when all is written, before clients must have everything. */
  settle?: () => Promise<void>;
}

/**
 * Writers and clients in any order, on one or more instances of one database: every client sees exactly the committed
 * events that it asked for, once and in order, live the same as replayed.
 */
export function describeStreamModel(
  servers: () => ServerApp[],
  { runs, settleMs = 10_000, settle }: StreamModelOptions,
): void {
  describe('any writers and any clients', () => {
    let serial = 0;
    it(`agree on what was committed, in ${runs} stories`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(writes, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 }),
          fc.array(listenings, { minLength: 1, maxLength: 5 }),
          (writers, clients) => report(servers(), `story-${serial++}`, writers, clients, { settleMs, settle }),
        ),
        { numRuns: runs, interruptAfterTimeLimit: 120_000 },
      );
    });
  });
}

async function report(
  servers: ServerApp[],
  story: string,
  writers: Write[][],
  listening: Listening[],
  { settleMs, settle }: { settleMs: number; settle: (() => Promise<void>) | undefined },
): Promise<void> {
  const at = (n: number): ServerApp => servers[n % servers.length]!;
  const committed: string[][] = [[], []];
  let serial = 0;
  const payload = (kind: number): EventPayload => {
    const id = `e${serial++}`;
    if (kind === 0) return { type: 'span_deleted', span_id: id };
    if (kind === 1) return { type: 'trace_deleted', trace_id: id };
    return { type: 'cleared' };
  };
  const write = async ({ instance, events, fails, pauseMs }: Write): Promise<void> => {
    const { app, storage } = at(instance);
    const reported = events.map(({ project, kind }) => ({ project, payload: payload(kind) }));
    try {
      await storage.write(async (tx) => {
        for (const { project, payload: event } of reported) {
          await app.get(DomainEvents).emit(tx, scopeOfProject(`${story}-${project}`), event);
        }
        if (fails) throw new Error('on purpose');
      });
      for (const { project, payload: event } of reported) committed[project]!.push(JSON.stringify(event));
    } catch (error) {
      if (!fails) throw error;
    }
    await sleep(pauseMs);
  };
  const followers = listening.map((each) => new Follower(at, story, each));
  const following = followers.map((follower) => follower.follow(() => committed[follower.project]!.length));
  for (const follow of following) follow.catch(() => undefined);
  await Promise.all(
    writers.map(async (each) => each.reduce((done, next) => done.then(() => write(next)), Promise.resolve())),
  );
  const logs = await Promise.all(
    [0, 1].map((project) => wholeLog(at(project), `${story}-${project}`, committed[project]!)),
  );
  await Promise.all(following);
  await settle?.();
  try {
    for (const follower of followers) {
      await follower.expectAll(logs[follower.project]!, settleMs);
    }
  } finally {
    for (const follower of followers) follower.close();
  }
}

/** What the log replays to the first client that asks, which must be what was committed. */
async function wholeLog(server: ServerApp, project: string, committed: readonly string[]): Promise<SeenEvent[]> {
  const client = await EventClient.open(server.url, { query: 'since=0', project });
  await client.has(committed.length);
  client.close();
  expect(client.ids).toEqual(range(1, committed.length));
  // Transactions of several writers end in any order; each event is there once.
  expect(client.events.map(({ data }) => data).toSorted()).toEqual(committed.toSorted());
  return client.events;
}

/** Follows the events of a project, going away and coming back. */
class Follower {
  readonly project: number;
  private readonly seen: SeenEvent[] = [];
  /** Bounds of the number behind which the first visit began. */
  private begin = { low: 0, high: 0 };
  private client: EventClient | undefined;
  private readonly at: (n: number) => ServerApp;
  private readonly story: string;
  private readonly what: Listening;

  constructor(at: (n: number) => ServerApp, story: string, what: Listening) {
    this.at = at;
    this.story = story;
    this.what = what;
    this.project = what.project;
  }

  /** @param acknowledged how many events were certainly committed. */
  async follow(acknowledged: () => number): Promise<void> {
    const { instance, joinsAfterMs, leavesAfter } = this.what;
    await sleep(joinsAfterMs);
    const since = this.what.since === undefined ? undefined : Math.round(this.what.since * acknowledged());
    for (let visit = 0; visit <= leavesAfter.length; visit++) {
      const low = Math.min(since ?? Infinity, acknowledged());
      const lastSeen = this.seen.at(-1)?.id;
      const server = this.at(instance + visit);
      const client = await this.open(server, since, lastSeen);
      this.client = client;
      if (lastSeen === undefined) this.begin = { low, high: Math.min(since ?? Infinity, await this.newest(server)) };
      const leaves = leavesAfter[visit];
      if (leaves === undefined) return;
      const deadline = Date.now() + 60;
      while (client.events.length < leaves && Date.now() < deadline) await sleep(1);
      client.close();
      await until(() => !client.isOpen);
      this.seen.push(...client.events);
    }
  }

  /** @param log all there is in the end. */
  async expectAll(log: readonly SeenEvent[], settleMs: number): Promise<void> {
    const types = FILTERS[this.what.filter];
    const wanted = log.filter(({ data }) => !types || types.some((type) => data.startsWith(`{"type":"${type}"`)));
    const behind = (seq: number): number => wanted.filter(({ id }) => id > seq).length;
    const all = (): SeenEvent[] => [...this.seen, ...this.client!.events];
    let seen = all();
    // A client that has seen anything goes on to the last event, however late that comes.
    const isUpToDate = (): boolean => {
      seen = all();
      return seen.length >= behind(this.begin.high) && (seen.length === 0 || seen.at(-1)!.id === wanted.at(-1)?.id);
    };
    const upToDate = (): Promise<void> =>
      until(
        isUpToDate,
        settleMs,
        () => `${JSON.stringify(this.what)} saw ${JSON.stringify(seen.map(({ id }) => id))} of ${log.length}`,
      );
    await upToDate();
    await sleep(5);
    await upToDate();
    expect(seen.length).toBeLessThanOrEqual(behind(this.begin.low));
    expect(seen).toEqual(wanted.slice(wanted.length - seen.length));
  }

  close(): void {
    this.client?.close();
  }

  private async newest({ storage }: ServerApp): Promise<number> {
    const [counter] = await storage.read(
      anyRows<{
        seq: number;
      }>()`select last_seq as seq from event_counter where project_id = ${`${this.story}-${this.project}`}`,
    );
    return counter?.seq ?? 0;
  }

  private open(server: ServerApp, since: number | undefined, lastSeen: number | undefined): Promise<EventClient> {
    const types = FILTERS[this.what.filter];
    const query = [
      ...(types ? [`types=${types.join()}`] : []),
      ...(since === undefined ? [] : [`since=${since}`]),
    ].join('&');
    return EventClient.open(server.url, {
      query,
      project: `${this.story}-${this.project}`,
      ...(lastSeen !== undefined && { headers: { 'last-event-id': String(lastSeen) } }),
    });
  }
}
