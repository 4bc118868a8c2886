import { Injectable, type OnModuleInit } from '@nestjs/common';
import { getOrMake } from '@spandrel/contract';
import { BackgroundTasks, type Scope } from '@spandrel/kernel';
import { type WriteTx, Storage } from '@spandrel/storage';
import { DomainEvents, type EventSink, type WireEvent } from '../domain-events.js';
import { EventBus } from '../feed/project-feeds.js';
import { oneLine } from './event-batch.js';
import { EventLogStore } from './event-log.store.js';
import { EventMetrics } from '../event-metrics.js';
import { EventsSettings } from '../events.settings.js';

/** The events of an open transaction so far, by project; `written` once they are in the log. */
interface OpenEvents {
  byProject: Map<string, { scope: Scope; events: WireEvent[] }>;
  written: boolean;
}

/** Writes the events of every transaction at its end, and publishes them once it is durable. */
@Injectable()
export class EventLog implements EventSink, OnModuleInit {
  readonly name = 'log';
  private readonly open = new WeakMap<WriteTx, OpenEvents>();

  constructor(
    private readonly events: DomainEvents,
    private readonly store: EventLogStore,
    private readonly bus: EventBus,
    private readonly metrics: EventMetrics,
  ) {}

  onModuleInit(): void {
    this.events.register(this);
  }

  /** @throws Error when the events of the transaction are written already: nothing may emit from `beforeCommit`. */
  async take(tx: WriteTx, scope: Scope, events: readonly WireEvent[]): Promise<void> {
    const open = getOrMake(this.open, tx, () => {
      const gathered: OpenEvents = { byProject: new Map(), written: false };
      tx.end.beforeCommit(() => this.write(tx, gathered));
      return gathered;
    });
    if (open.written) throw new Error('an event was emitted when those of its transaction had been written');
    getOrMake(open.byProject, scope.projectId, () => ({ scope, events: [] })).events.push(...events);
  }

  /** In the order of project ids, as every transaction does: none waits for another that waits for it. */
  private async write(tx: WriteTx, open: OpenEvents): Promise<void> {
    open.written = true;
    const createdAt = Date.now();
    const projects = [...open.byProject].toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const [, { scope, events }] of projects) {
      const lines = events.map(oneLine);
      const numbers = await this.store.append(tx, scope, lines, createdAt);
      tx.end.afterCommit(() => this.metrics.published(events));
      tx.end.afterCommit(() => this.bus.publish({ projectId: scope.projectId, ...numbers, lines }));
    }
  }
}

/** How often the log is pruned: so many times in its retention, within these bounds. */
const TIMES_PER_RETENTION = 24;
const EVERY_MS_MIN = 1_000;
const EVERY_MS_MAX = 3_600_000;
const FIRST_MS_MAX = 5_000;

/** Deletes events that are older than `events.retention_hours` (docs/spec/events.md#how-long-events-are-kept). */
@Injectable()
export class PruneEvents {
  constructor(
    { retentionMs }: EventsSettings,
    tasks: BackgroundTasks,
    private readonly storage: Storage,
    private readonly log: EventLogStore,
  ) {
    const everyMs = Math.min(EVERY_MS_MAX, Math.max(EVERY_MS_MIN, retentionMs / TIMES_PER_RETENTION));
    tasks.add({
      everyMs,
      firstMs: Math.min(everyMs, FIRST_MS_MAX),
      task: (stopped) => this.prune(Date.now() - retentionMs, stopped),
      failure: 'old events could not be deleted; they will be at the next time',
    });
  }

  private async prune(before: number, stopped: AbortSignal): Promise<void> {
    for (let afterId: string | undefined = ''; afterId !== undefined && !stopped.aborted;) {
      const ids = await this.log.expiredProjects(before, afterId);
      if (ids.length === 0) break;
      for (const id of ids) {
        while (!stopped.aborted && (await this.storage.write((tx) => this.log.prune(tx, id, before))));
      }
      afterId = ids.at(-1);
    }
  }
}
