import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { Body, Controller, Header, HttpCode, Inject, Optional, Post, StreamableFile } from '@nestjs/common';
import {
  EVENT_STREAM_MEDIA_TYPE,
  tryCallSchema,
  tryEventSchema,
  type TryCall,
  type TryEvent,
} from '@spandrel/contract';
import { ClientGone, CurrentScope, Operation } from '@spandrel/http';
import { DomainError, Readiness, type Scope } from '@spandrel/kernel';
import { MakeTry } from './make-try.js';
import { PlanTry } from './plan-try.js';
import { TrySettings } from './try.settings.js';

/** How often a stream says that it is there, when an answer is long in coming. */
const KEEP_ALIVE_MS = 10_000;
const RETRY_AFTER_SECONDS = 2;

/** `POST /api/try` (docs/spec/replay.md#trying-a-call). */
@Controller('api/try')
export class TryController {
  /** Tries under way, by project. */
  private readonly counts = new Map<string, number>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly plan: PlanTry,
    private readonly make: MakeTry,
    private readonly settings: TrySettings,
    @Optional() @Inject(Readiness) readiness?: Readiness,
  ) {
    readiness?.whenEnding(() => this.stopping.abort(new Error('server stopped')));
  }

  @Post()
  @HttpCode(200)
  @Header('cache-control', 'no-store, no-transform')
  @Header('x-accel-buffering', 'no')
  @Operation({
    id: 'tryCall',
    access: 'write',
    summary: 'Make a call of a model, recorded or new, and stream the answer',
    description:
      'The answer comes as it is made. Each call is recorded as a span of a trace with the tag `try`; a client that leaves ends the call.',
    answer: {
      mediaTypes: [EVENT_STREAM_MEDIA_TYPE],
      schema: tryEventSchema,
      description: 'Server-Sent Events: `data` is one line of JSON, `done` or `error` the last one.',
    },
    problems: ['span_not_found', 'connection_not_found', 'id_conflict', 'cost_too_high', 'rate_limited', 'bad_gateway'],
  })
  async try(
    @CurrentScope() scope: Scope,
    @Body({ schema: tryCallSchema }) body: TryCall,
    @ClientGone() gone: AbortSignal,
  ): Promise<StreamableFile> {
    const leave = this.enter(scope);
    try {
      const planned = await this.plan.execute(scope, body);
      const left = new AbortController();
      gone.addEventListener('abort', () => left.abort(new Error('client disconnected')));
      const signal = AbortSignal.any([left.signal, this.stopping.signal]);
      const stream = new TryStream(signal);
      const work = this.make.execute(scope, planned, { signal, emit: (event) => stream.emit(event) });
      void work
        .then(
          () => stream.end(),
          (error: unknown) => stream.fail(error),
        )
        .finally(leave);
      await stream.begun;
      return new StreamableFile(stream.body, { type: `${EVENT_STREAM_MEDIA_TYPE}; charset=utf-8` });
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** @returns what ends it. @throws DomainError `rate_limited`. */
  private enter({ projectId }: Scope): () => void {
    const count = this.counts.get(projectId) ?? 0;
    const { callsMax } = this.settings;
    if (count >= callsMax) {
      const detail = `${callsMax} tries of this project are under way, which is all that may be at once (try.calls_max)`;
      throw new DomainError('rate_limited', detail, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    this.counts.set(projectId, count + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = this.counts.get(projectId)! - 1;
      if (left > 0) this.counts.set(projectId, left);
      else this.counts.delete(projectId);
    };
  }
}

/** The events of one try on their way to the client. */
class TryStream {
  readonly body = new PassThrough();
  /** Resolves when there is something to send; rejects when the try failed before. */
  readonly begun: Promise<void>;
  private readonly beginning = Promise.withResolvers<void>();
  private readonly keepAlive: NodeJS.Timeout;

  constructor(private readonly signal: AbortSignal) {
    this.begun = this.beginning.promise;
    this.keepAlive = setInterval(() => this.write(': \n\n'), KEEP_ALIVE_MS);
    // Nobody else listens when the client leaves.
    this.body.on('error', () => undefined);
  }

  async emit(event: TryEvent): Promise<void> {
    if (!this.write(`data: ${JSON.stringify(event)}\n\n`)) await once(this.body, 'drain', { signal: this.signal });
  }

  end(): void {
    clearInterval(this.keepAlive);
    this.body.end();
  }

  fail(error: unknown): void {
    clearInterval(this.keepAlive);
    this.beginning.reject(error);
    this.body.destroy(error as Error);
  }

  private write(text: string): boolean {
    this.beginning.resolve();
    return this.body.destroyed || this.body.write(text);
  }
}
