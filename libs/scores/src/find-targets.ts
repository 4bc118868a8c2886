import { Injectable } from '@nestjs/common';
import { DomainError, Invalid, NotFound, type Scope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import { SpanLookups, TraceLookups, traceNotFound, TraceStore } from '@spandrel/tracing';
import type { ScoreRow } from './score.entity.js';

/** What a score is about, as it is stored. */
export type Target = Pick<
  ScoreRow,
  'traceId' | 'spanId' | 'sessionId' | 'targetAt' | 'traceAt' | 'isAwaiting' | 'model'
>;

export interface GivenTarget {
  trace_id?: string | null | undefined;
  span_id?: string | null | undefined;
  session_id?: string | null | undefined;
}

/** Finds what scores are about (docs/spec/scores.md#what-a-score-is-about). */
@Injectable()
export class FindTargets {
  constructor(
    private readonly traces: TraceStore,
    private readonly traceLookups: TraceLookups,
    private readonly spans: SpanLookups,
  ) {}

  /**
   * The traces are locked, so that none is deleted before the transaction ends.
   * @param since when the trace of a target, or the last one of a session, must have begun at the earliest.
   * @returns what finds the target of each of the scores; it throws NotFound `trace_not_found`, `span_not_found` or
   *   `session_not_found`, Invalid where the span is of another trace, DomainError `insufficient_scope` for an older one.
   */
  async find(
    tx: WriteTx,
    scope: Scope,
    scores: readonly GivenTarget[],
    since = -Infinity,
  ): Promise<(score: GivenTarget) => Target> {
    const given = (member: keyof GivenTarget): string[] => [...new Set(scores.flatMap((score) => score[member] ?? []))];
    const spans = await this.spans.findPlaces(tx, scope, given('span_id'));
    const traceIds = new Set([...given('trace_id'), ...spans.values().map(({ traceId }) => traceId)]);
    const found = await this.traces.loadForWrite(tx, scope, [...traceIds]);
    // A span that came while its trace was waited for.
    const late = await this.spans.findPlaces(
      tx,
      scope,
      given('span_id').filter((id) => !spans.has(id)),
    );
    for (const [id, span] of late) spans.set(id, span);
    const traces = new Map(found.map(({ id, startedAt }) => [id, startedAt]));
    const sessions = await this.traceLookups.findSessionRanges(tx, scope.projectId, given('session_id'));
    return ({ trace_id: named, span_id: spanId = null, session_id: sessionId }) => {
      if (typeof sessionId === 'string') {
        const session = sessions.get(sessionId);
        if (session === undefined) throw new NotFound('session_not_found', 'there is no session with this id');
        if (session.last < since) throw tooOld();
        return { sessionId, ...OF_SESSION, targetAt: session.first };
      }
      const span = spanId === null ? undefined : spans.get(spanId);
      const traceId = named ?? span?.traceId;
      if (traceId === undefined) throw unknownSpan();
      const startedAt = traces.get(traceId);
      if (startedAt === undefined) throw traceNotFound();
      if (span && span.traceId !== traceId) throw otherTrace();
      if (startedAt < since) throw tooOld();
      return {
        ...{ traceId, spanId, sessionId: null, model: span?.model ?? null },
        ...{ targetAt: span?.startedAt ?? startedAt, traceAt: startedAt },
        isAwaiting: Number(spanId !== null && !span),
      };
    };
  }
}

const OF_SESSION = { traceId: null, spanId: null, traceAt: null, isAwaiting: 0, model: null };

const unknownSpan = (): NotFound =>
  new NotFound('span_not_found', 'there is no span with this id; for one that is still to come give trace_id too');

const tooOld = (): DomainError =>
  new DomainError('insufficient_scope', 'this credential may only send feedback on traces of the last 24 hours');

function otherTrace(): Invalid {
  const [path, message] = ['trace_id', 'is not the trace of the span'];
  return new Invalid('validation_failed', `${path} ${message}`, [{ path, message }]);
}
