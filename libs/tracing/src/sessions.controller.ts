import { Controller, Get, Param, Query } from '@nestjs/common';
import {
  listSessionsSchema,
  readSessionSchema,
  type ListSessions,
  type ReadSession,
  sessionListSchema,
  sessionTracesSchema,
} from '@spandrel/contract';
import { CurrentScope, Operation, writtenPage, listOf } from '@spandrel/http';
import { NotFound, type Scope } from '@spandrel/kernel';
import { SessionListStore } from './listing/session-list.store.js';
import { TraceListStore } from './listing/trace-list.store.js';
import { PreviewTraces } from './outline/preview-traces.js';
import { ScoresPort } from './reading/scores-port.js';

/** `/api/sessions`; ids are compared exactly (docs/spec/sessions.md#session-ids-are-compared-exactly). */
@Controller('api/sessions')
export class SessionsController {
  constructor(
    private readonly sessions: SessionListStore,
    private readonly traces: TraceListStore,
    private readonly previews: PreviewTraces,
    private readonly scores: ScoresPort,
  ) {}

  @Get()
  @Operation({ access: 'read', summary: 'Sessions, newest first', answer: sessionListSchema })
  async listSessions(@CurrentScope() scope: Scope, @Query({ schema: listSessionsSchema }) query: ListSessions) {
    const page = await this.sessions.list(scope, query);
    if (query.include === undefined) return listOf('sessions', page);
    const ids = page.items.map(({ session_id: id }) => id);
    const sums = await this.scores.registered?.sumsOf(scope, 'session', ids);
    const items = page.items.map((session) => ({ ...session, scores: sums?.get(session.session_id) ?? {} }));
    return listOf('sessions', { ...page, items });
  }

  /** The traces of a session, newest first unless asked for otherwise. */
  @Get(':session_id')
  @Operation({
    access: 'read',
    summary: 'The traces of a session, newest first unless sorted otherwise',
    answer: sessionTracesSchema,
    problems: ['session_not_found'],
  })
  async getSession(
    @CurrentScope() scope: Scope,
    @Param('session_id') sessionId: string,
    @Query({ schema: readSessionSchema }) { preview, include, ...query }: ReadSession,
  ) {
    const { items, nextCursor } = await this.traces.list(scope, {
      ...query,
      sort_by: 'started_at',
      session_id: sessionId,
    });
    if (items.length === 0 && query.cursor === undefined) {
      throw new NotFound('session_not_found', 'no trace has this session_id');
    }
    const traces = await this.previews.execute(scope, items, preview);
    if (include === undefined) return writtenPage('traces', traces, nextCursor, { session_id: sessionId });
    const ids = items.map(({ id }) => id);
    const sums = await this.scores.registered?.sumsOf(scope, 'session', [sessionId]);
    return writtenPage('traces', await this.scores.written(scope, traces, ids), nextCursor, {
      session_id: sessionId,
      scores: sums?.get(sessionId) ?? {},
    });
  }
}
