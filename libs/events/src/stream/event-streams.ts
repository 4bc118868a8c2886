import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Inject, Injectable, Optional, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { LOGGER, PeriodicTask, Unavailable, type Logger, type Scope, Readiness } from '@spandrel/kernel';
import { EventsSettings } from '../events.settings.js';
import type { EventFilter } from './event-filter.js';
import { EventLogStore } from '../log/event-log.store.js';
import { EventMetrics } from '../event-metrics.js';
import { EventStream, ReplaySlices } from './event-stream.js';
import type { ProjectFeed } from '../feed/project-feed.js';
import { ProjectFeeds } from '../feed/project-feeds.js';

const KEEP_ALIVE_MS = 15_000;

export interface StreamRequest {
  scope: Scope;
  filter: EventFilter;
  /** The last number that the client has; live events only when left out. */
  sinceSeq: number | undefined;
}

@Injectable()
export class EventStreams implements OnModuleInit, OnModuleDestroy {
  private readonly streams = new Set<EventStream>();
  private readonly keepAlives: PeriodicTask;
  private stopping = false;

  constructor(
    private readonly log: EventLogStore,
    private readonly feeds: ProjectFeeds,
    private readonly slices: ReplaySlices,
    private readonly metrics: EventMetrics,
    private readonly settings: EventsSettings,
    @Inject(LOGGER) private readonly logger: Logger,
    @Optional() private readonly readiness?: Readiness,
  ) {
    this.keepAlives = new PeriodicTask({
      everyMs: KEEP_ALIVE_MS,
      task: async () => {
        for (const stream of this.streams) stream.keepAlive();
        // Commits of other instances, and of this one whose outcome was long unknown.
        await feeds.catchUp();
      },
      failure: 'event streams could not be kept alive',
      logger,
    });
  }

  onModuleInit(): void {
    this.readiness?.whenEnding(() => this.end());
    this.keepAlives.start();
  }

  onModuleDestroy(): Promise<void> {
    this.end();
    return this.keepAlives.stop();
  }

  /** Streams end as soon as the server begins to stop: nobody would wait for them. Their clients resume elsewhere. */
  private end(): void {
    this.stopping = true;
    for (const stream of [...this.streams]) stream.end();
  }

  /**
   * Begins a stream. What is committed after the client has got the headers is sent to it.
   * @param sendHeaders sends them; from then on the connection is the stream's.
   * @throws Unavailable when the server stops, and what reading the log throws.
   */
  async open(
    response: ServerResponse,
    { scope, filter, sinceSeq }: StreamRequest,
    sendHeaders: () => void,
  ): Promise<void> {
    this.refuseWhenStopping();
    const feed = this.feeds.acquire(scope);
    let isHeld = false;
    try {
      const newest = await this.log.newest(scope);
      this.refuseWhenStopping();
      feed.begin(newest);
      const socket = await connectionOf(response);
      if (!socket) return;
      this.refuseWhenStopping();
      sendHeaders();
      this.streamTo(response, socket, feed, filter).start(Math.min(sinceSeq ?? newest, newest));
      isHeld = true;
    } finally {
      if (!isHeld) this.feeds.release(feed);
    }
  }

  private streamTo(response: ServerResponse, socket: Socket, feed: ProjectFeed, filter: EventFilter): EventStream {
    const { slices, metrics, logger } = this;
    const limits = this.settings;
    const onEnd = (ended: EventStream): void => {
      this.streams.delete(ended);
      this.feeds.release(feed);
      metrics.streams.dec();
    };
    const stream = new EventStream({ response, socket, feed, slices, filter, limits, metrics, logger, onEnd });
    this.streams.add(stream);
    metrics.streams.inc();
    return stream;
  }

  private refuseWhenStopping(): void {
    if (this.stopping) throw new Unavailable('the service is stopping; connect again');
  }
}

/** The connection of an answer, once answers to earlier requests on it are through; `undefined` when it is gone. */
async function connectionOf(response: ServerResponse): Promise<Socket | undefined> {
  if (!response.socket && !response.req.socket.destroyed)
    await Promise.race([once(response, 'socket'), once(response.req, 'close')]);
  return response.socket?.writable === true ? response.socket : undefined;
}
