import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getOrMake } from '@spandrel/contract';
import { Permits, type Logger, type Scope } from '@spandrel/kernel';
import { Injectable } from '@nestjs/common';
import { type EventFilter, KEEP_ALIVE, RETRY, type Frames } from './event-filter.js';
import type { CutReason, EventMetrics } from '../event-metrics.js';
import type { FeedMember, ProjectFeed } from '../feed/project-feed.js';
import { EventLogStore } from '../log/event-log.store.js';

interface StreamLimits {
  queuedBytes: number;
  stalledMs: number;
  behindMs: number;
}

export interface EventStreamParts {
  /** Has sent its headers; the stream writes to the connection itself, so that bytes are shared by all clients. */
  response: ServerResponse;
  socket: Socket;
  feed: ProjectFeed;
  slices: ReplaySlices;
  filter: EventFilter;
  limits: StreamLimits;
  metrics: EventMetrics;
  logger: Logger;
  onEnd: (stream: EventStream) => void;
}

/**
 * One client of the event stream. It is sent from the log until it has caught up with the live feed, and again when it
 * takes less than comes (docs/spec/events.md#slow-clients): then nothing more is kept for it than one slice of the log.
 */
export class EventStream implements FeedMember {
  readonly filter: EventFilter;
  private isLive = false;
  private isClosed = false;
  private behindTimer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: EventStreamParts) {
    this.filter = parts.filter;
    const { response, socket, limits } = parts;
    socket.setNoDelay(true);
    // Counts from the last byte that the client took of what waits for it; nothing waits for one that is up to date.
    socket.setTimeout(limits.stalledMs);
    response.on('timeout', () => {
      if (socket.writableLength > 0) this.cut('stalled');
    });
    socket.once('close', () => this.ended());
  }

  /** Sends everything behind a sequence number, then live events. */
  start(afterSeq: number): void {
    this.parts.socket.write(RETRY);
    void this.replay(afterSeq);
  }

  deliver(frames: Frames, afterSeq: number): void {
    const { socket, feed, limits, metrics } = this.parts;
    if (socket.writableLength > limits.queuedBytes) {
      feed.leave(this);
      void this.fallBehind(afterSeq);
      return;
    }
    metrics.delivered.inc(frames.count);
    socket.write(frames.bytes);
  }

  fail(error: unknown): void {
    this.parts.logger.error({ err: error }, 'an event stream was ended: events could not be delivered');
    this.cut('failed');
  }

  /** Shows the client, and whatever stands between, that the stream lives; needless while it has something to take. */
  keepAlive(): void {
    const { socket } = this.parts;
    if (this.isLive && socket.writableLength === 0) socket.write(KEEP_ALIVE);
  }

  /** Ends the stream at once; a client that has not taken everything comes back for the rest. */
  end(): void {
    const { response, socket } = this.parts;
    if (socket.writableLength === 0) response.end();
    else socket.destroy();
    this.ended();
  }

  private async replay(afterSeq: number): Promise<void> {
    const { socket, feed, slices, metrics } = this.parts;
    let seq = afterSeq;
    let hasReadLog = false;
    try {
      while (!this.isClosed && socket.writable) {
        const outcome = feed.join(this, seq, hasReadLog);
        if (typeof outcome === 'object') {
          this.goLive(outcome.missed);
          return;
        }
        if (outcome === 'ahead') {
          await feed.reached(seq);
          continue;
        }
        const slice = await slices.read(feed.scope, this.filter, seq);
        if (this.isClosed) return;
        seq = slice.throughSeq;
        hasReadLog = true;
        if (slice.count > 0) {
          metrics.delivered.inc(slice.count);
          await this.taken(slice.bytes);
        }
        await nextTurn();
      }
    } catch (error) {
      this.parts.logger.warn({ err: error }, 'an event stream was ended: the event log cannot be read');
      this.cut('failed');
    }
  }

  private goLive(missed: Frames): void {
    this.isLive = true;
    clearTimeout(this.behindTimer);
    if (missed.count === 0) return;
    this.parts.metrics.delivered.inc(missed.count);
    this.parts.socket.write(missed.bytes);
  }

  private async fallBehind(afterSeq: number): Promise<void> {
    this.isLive = false;
    this.behindTimer = setTimeout(() => this.cut('behind'), this.parts.limits.behindMs).unref();
    await this.taken(KEEP_ALIVE);
    await this.replay(afterSeq);
  }

  private async taken(bytes: Buffer): Promise<void> {
    await new Promise<void>((go) => {
      this.parts.socket.write(bytes, () => go());
    });
  }

  private cut(reason: CutReason): void {
    if (this.isClosed) return;
    this.parts.metrics.cut.inc({ reason });
    this.parts.socket.destroy();
    this.ended();
  }

  private ended(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.behindTimer);
    this.parts.feed.leave(this);
    this.parts.onEnd(this);
  }
}

/** What one client is sent from the log at once: what a thousand stalled ones hold is this times a thousand. */
const SLICE_BYTES = 64 * 1024;
/** Slices made at once, by all clients together: replays must not hold up everybody else. */
const AT_ONCE = 4;

interface ReplaySlice extends Frames {
  /** The number up to which the log was read. */
  throughSeq: number;
}

/**
 * Reads the log for clients (docs/spec/events.md#coming-back), the same slice once for all that want it at about the
 * same time.
 */
@Injectable()
export class ReplaySlices {
  private readonly making = new Map<string, Promise<ReplaySlice>>();
  private readonly turns = new Permits(AT_ONCE);

  constructor(private readonly log: EventLogStore) {}

  /** The oldest events behind a sequence number, as far as one slice goes; without events when the log has none. */
  read(scope: Scope, filter: EventFilter, afterSeq: number): Promise<ReplaySlice> {
    const key = `${afterSeq} ${filter.key} ${scope.projectId}`;
    return getOrMake(this.making, key, () =>
      this.inTurn(() => this.make(scope, filter, afterSeq)).finally(() => this.making.delete(key)),
    );
  }

  private async make(scope: Scope, filter: EventFilter, afterSeq: number): Promise<ReplaySlice> {
    let throughSeq = afterSeq;
    let batches = await this.log.slice(scope, afterSeq, SLICE_BYTES);
    if (batches.length === 0) {
      // What is older than this and not in the log after it has been pruned.
      throughSeq = Math.max(afterSeq, await this.log.newest(scope));
      batches = await this.log.slice(scope, afterSeq, SLICE_BYTES);
    }
    throughSeq = batches.at(-1)?.lastSeq ?? throughSeq;
    return { ...filter.frames(batches, afterSeq), throughSeq };
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    await this.turns.enter();
    try {
      return await work();
    } finally {
      void nextTurn().then(() => this.turns.leave());
    }
  }
}
