import { setImmediate as nextTurn } from 'node:timers/promises';
import { getOrMake } from '@spandrel/contract';
import { backgroundScheduler, type Logger, type Scope } from '@spandrel/kernel';
import { buffer, concatMap, defer, exhaustMap, retry, Subject, timer } from 'rxjs';
import { behind, textLength, type EventBatch } from '../log/event-batch.js';
import type { EventFilter, Frames } from '../stream/event-filter.js';
import type { EventLogStore } from '../log/event-log.store.js';

const SLICE_BYTES = 256 * 1024;
/** Text of events that came before their predecessors, in UTF-16 units; beyond it they are read from the log. */
const EARLY_TEXT_MAX = 4 * 1024 * 1024;
const READ_AGAIN_MS = 1_000;
/** What is written to all clients together before others of the event loop have their turn: copying it takes time. */
const BYTES_PER_TURN = 4 * 1024 * 1024;

export interface FeedMember {
  readonly filter: EventFilter;
  /** Must be quick; one that throws is removed and gets {@link fail}. @param afterSeq where the feed stood before. */
  deliver(frames: Frames, afterSeq: number): void;
  /** Ends the client's stream, which has missed events by a fault of the program: it comes back and reads them from the log. */
  fail(error: unknown): void;
}

/**
 * What became of {@link ProjectFeed.join}: `behind` reads the log first, `ahead` waits for the feed; who has joined gets
 * what it has missed, and then live events.
 */
export type JoinOutcome = 'behind' | 'ahead' | { missed: Frames };

export interface ProjectFeedParts {
  log: Pick<EventLogStore, 'slice'>;
  logger: Logger;
}

/**
 * The live events of a project, in order and without a gap, whatever the order in which commits become known: what is
 * missing is read from the log. What comes in one turn of the event loop goes out as one piece of bytes, shared by all
 * clients that want the same. One piece is handed out after the other; a client that does not keep up leaves the feed and
 * reads the log at its own pace ({@link FeedMember.deliver}).
 */
export class ProjectFeed {
  /** The last number handed out; `undefined` before {@link begin}. */
  private handedOut: number | undefined;
  private tail = 0;
  private known = 0;
  private readonly ordered = new Subject<EventBatch>();
  /** Emits when the log has events that have not come. */
  private readonly gaps = new Subject<void>();
  private early: EventBatch[] = [];
  private readonly recent = new RecentEvents();
  private readonly groups = new Map<string, { filter: EventFilter; members: Set<FeedMember> }>();
  private waiting: { seq: number; go: () => void }[] = [];
  private closed = false;

  constructor(
    readonly scope: Scope,
    private readonly parts: ProjectFeedParts,
  ) {
    const turns = this.ordered.pipe(exhaustMap(() => nextTurn()));
    this.ordered
      .pipe(
        buffer(turns),
        concatMap((batches) => this.handOut(batches)),
      )
      .subscribe();
    const readAgain = (error: unknown) => {
      parts.logger.warn({ err: error }, 'the event log could not be read; trying again soon');
      return timer(READ_AGAIN_MS, backgroundScheduler);
    };
    this.gaps.pipe(concatMap(() => defer(() => this.fillGap()).pipe(retry({ delay: readAgain })))).subscribe();
  }

  /** Says where the live events begin; a feed that has begun only learns how far the log is. @param newest of the log. */
  begin(newest: number): void {
    if (this.handedOut === undefined) {
      this.handedOut = newest;
      this.tail = newest;
      this.takeEarly();
    }
    this.learn(newest);
  }

  /** Takes a committed batch; those known already are ignored. */
  publish(batch: EventBatch): void {
    if (this.handedOut !== undefined && batch.firstSeq <= this.tail + 1) {
      this.accept(batch);
      this.takeEarly();
      return;
    }
    this.early.push(batch);
    if (textLength(this.early) > EARLY_TEXT_MAX) this.early = [];
    this.learn(batch.lastSeq);
  }

  /** Takes note of a commit whose events have not come: they are read from the log. */
  learn(seq: number): void {
    this.known = Math.max(this.known, seq);
    if (this.handedOut !== undefined && this.known > this.tail) this.gaps.next();
  }

  /**
   * Adds a client that has had everything up to `seq`, when that is where the feed stands, or little before.
   * @param hasReadLog whether it has just read the log up to there: what came meanwhile is then given to it from memory,
   *   which may hold what the log has pruned.
   */
  join(member: FeedMember, seq: number, hasReadLog: boolean): JoinOutcome {
    const position = this.handedOut ?? 0;
    if (seq > position) {
      this.learn(seq);
      return 'ahead';
    }
    const missed = seq === position ? [] : hasReadLog ? this.recent.behind(seq) : undefined;
    if (!missed) return 'behind';
    const { filter } = member;
    getOrMake(this.groups, filter.key, () => ({ filter, members: new Set() })).members.add(member);
    return { missed: filter.frames(missed, seq) };
  }

  leave(member: FeedMember): void {
    const group = this.groups.get(member.filter.key);
    if (group?.members.delete(member) && group.members.size === 0) this.groups.delete(member.filter.key);
  }

  /** Resolves when the feed has handed out `seq`, or is closed. */
  async reached(seq: number): Promise<void> {
    if (this.closed || (this.handedOut ?? 0) >= seq) return;
    await new Promise<void>((go) => this.waiting.push({ seq, go }));
  }

  close(): void {
    this.closed = true;
    this.ordered.complete();
    this.gaps.complete();
    this.early = [];
    for (const { go } of this.waiting.splice(0)) go();
  }

  /** Takes a batch that continues the tail, or, from the log, one with pruned events before it. */
  private accept(batch: EventBatch): void {
    const next = behind(batch, this.tail);
    if (!next || this.closed) return;
    this.tail = next.lastSeq;
    this.ordered.next(next);
  }

  private takeEarly(): void {
    if (this.early.length === 0) return;
    const waiting = this.early.toSorted((a, b) => a.firstSeq - b.firstSeq);
    this.early = [];
    for (const batch of waiting) {
      if (batch.firstSeq <= this.tail + 1) this.accept(batch);
      else this.early.push(batch);
    }
  }

  private async fillGap(): Promise<void> {
    while (!this.closed && this.tail < this.known) {
      const { known } = this;
      const slice = await this.parts.log.slice(this.scope, this.tail, SLICE_BYTES);
      if (slice.length === 0) this.skipPruned(known);
      for (const batch of slice) this.accept(batch);
      this.takeEarly();
      await nextTurn();
    }
  }

  /** What was known to be committed before the log was read, and was not in it, went with its age. */
  private skipPruned(known: number): void {
    const { projectId } = this.scope;
    const lastSeq = Math.min(known, ...this.early.map(({ firstSeq }) => firstSeq - 1));
    if (lastSeq > this.tail) this.accept({ projectId, firstSeq: lastSeq + 1, lastSeq, lines: [] });
  }

  /** Hands out what came in one turn. Who joins meanwhile has it already, or gets it by joining. */
  private async handOut(batches: readonly EventBatch[]): Promise<void> {
    if (this.closed) return;
    try {
      await this.deliverAll(batches);
    } catch (error) {
      // Who has had these events is not known: all read them from the log.
      const members = [...this.groups.values()].flatMap((group) => [...group.members]);
      for (const member of members) this.giveUp(member, error);
    }
  }

  private async deliverAll(batches: readonly EventBatch[]): Promise<void> {
    const after = this.handedOut!;
    this.handedOut = batches.at(-1)!.lastSeq;
    for (const batch of batches) this.recent.add(batch);
    const groups = [...this.groups.values()].map(({ filter, members }) => ({ filter, members, all: [...members] }));
    this.resumeWaiting();
    let bytes = 0;
    for (const { filter, members, all } of groups) {
      const frames = filter.frames(batches, after);
      if (frames.count === 0) continue;
      for (const member of all) {
        if (this.closed) return;
        if (members.has(member)) this.deliver(member, frames, after);
        bytes += frames.bytes.length;
        if (bytes < BYTES_PER_TURN) continue;
        bytes = 0;
        await nextTurn();
      }
    }
  }

  private deliver(member: FeedMember, frames: Frames, after: number): void {
    try {
      member.deliver(frames, after);
    } catch (error) {
      this.giveUp(member, error);
    }
  }

  private giveUp(member: FeedMember, error: unknown): void {
    this.leave(member);
    try {
      member.fail(error);
    } catch (failure) {
      this.parts.logger.error({ err: failure }, 'an event stream could not be ended');
    }
  }

  private resumeWaiting(): void {
    const { waiting, handedOut = 0 } = this;
    this.waiting = waiting.filter(({ seq }) => seq > handedOut);
    for (const { seq, go } of waiting) if (seq <= handedOut) go();
  }
}

const TEXT_MAX = 256 * 1024;

/**
 * The newest events of a feed, without a gap: a client that has read the log meets the feed here, however fast new events
 * come while it reads.
 */
class RecentEvents {
  private batches: EventBatch[] = [];
  private length = 0;

  add(batch: EventBatch): void {
    const previous = this.batches.at(-1);
    if (previous && previous.lastSeq + 1 !== batch.firstSeq) this.clear();
    this.batches.push(batch);
    this.length += textLength([batch]);
    let dropped = 0;
    while (this.length > TEXT_MAX && dropped < this.batches.length)
      this.length -= textLength([this.batches[dropped++]!]);
    if (dropped > 0) this.batches = this.batches.slice(dropped);
  }

  /** All events behind a sequence number; the first batch may begin before. `undefined` when some are not kept. */
  behind(seq: number): readonly EventBatch[] | undefined {
    const first = this.batches[0];
    if (!first || first.firstSeq > seq + 1) return undefined;
    return this.batches.filter(({ lastSeq }) => lastSeq > seq);
  }

  private clear(): void {
    this.batches = [];
    this.length = 0;
  }
}
