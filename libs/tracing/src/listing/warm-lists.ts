import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { listSessionsSchema, listSpansSchema, listTracesSchema } from '@spandrel/contract';
import { LOGGER, projectScope, type Logger } from '@spandrel/kernel';
import { SessionListStore } from './session-list.store.js';
import { SpanListStore } from './span-list.store.js';
import { TraceListStore } from './trace-list.store.js';

/** No project has this id. */
const NOBODY = projectScope('');

/**
 * Asks once for the lists that a dashboard begins with, in the background of the start
 * (docs/adr/0039-lists-planned-once.md#the-first-list-after-a-start).
 */
@Injectable()
export class WarmLists implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopped = new AbortController();
  private warming: Promise<void> | undefined;

  constructor(
    private readonly spans: SpanListStore,
    private readonly traces: TraceListStore,
    private readonly sessions: SessionListStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.warming = this.warm();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped.abort();
    await this.warming;
  }

  /** One after the other: a dashboard's first requests may share the connection with them. Never throws. */
  private async warm(): Promise<void> {
    const scope = { ...NOBODY, signal: this.stopped.signal };
    try {
      await this.spans.list(scope, listSpansSchema.parse({}));
      await this.traces.list(scope, listTracesSchema.parse({}));
      await this.sessions.list(scope, listSessionsSchema.parse({}));
    } catch (error) {
      this.logger.debug({ err: error }, 'lists were not asked for ahead');
    }
  }
}
