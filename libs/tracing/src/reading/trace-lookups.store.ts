import { Injectable } from '@nestjs/common';
import { projectScope, type Scope } from '@spandrel/kernel';
import {
  anyOf,
  fromJsonText,
  integer,
  nullable,
  shapeOf,
  Storage,
  text,
  type RowOfShape,
  type WriteTx,
} from '@spandrel/storage';
import { TRACE_COLUMNS } from '../tables.js';
import type { TraceRow } from '../trace.entity.js';
import type { SpanCommitParticipant, TracingChange } from '../write/span-commit-participant.js';

export interface TraceFacts {
  sessionId: string | null;
  tags: string[];
}

/** Ids of what is gone. */
export interface GoneIds {
  traceIds: readonly string[];
  /** Spans whose traces stay. */
  spanIds: readonly string[];
  sessionIds: readonly string[];
}

/** Rows that are about traces, spans and sessions. */
interface RowsOfTraces {
  deleteAll(tx: WriteTx, scope: Scope): Promise<void>;
  deleteOf(tx: WriteTx, scope: Scope, gone: GoneIds): Promise<void>;
}

const ID = shapeOf({ id: text() });
const FACTS = shapeOf({ id: text(), sessionId: nullable(text()), tags: text() });
const RANGE = shapeOf({ id: text(), first: integer(), last: integer() });
const PROJECT = shapeOf({ id: nullable(text()) });

/** What other features may ask about traces. */
@Injectable()
export class TraceLookups {
  constructor(private readonly storage: Storage) {}

  /** Session and tags of traces, by their ids; those that are not there are left out. */
  async findFacts(projectId: string, ids: readonly string[], tx?: WriteTx): Promise<Map<string, TraceFacts>> {
    const query = FACTS.query`select t.id as id, t.session_id as "sessionId", t.tags as tags from trace t
      where t.project_id = ${projectId} and ${anyOf('t.id', [...new Set(ids)])}`;
    const rows = await (tx ? tx.all(query) : this.storage.read(query));
    return new Map(rows.map(({ id, sessionId, tags }) => [id, { sessionId, tags: fromJsonText(tags) as string[] }]));
  }

  async findExisting(projectId: string, ids: readonly string[]): Promise<Set<string>> {
    const rows = await this.storage.read(
      ID.query`select t.id as id from trace t where t.project_id = ${projectId} and ${anyOf('t.id', ids)}`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** When the first and the last trace of sessions began, in ms since the epoch; nothing for those that are not there. */
  async findSessionRanges(tx: WriteTx, projectId: string, sessionIds: readonly string[]) {
    if (sessionIds.length === 0) return new Map<string, RowOfShape<typeof RANGE>>();
    const rows = await tx.all(
      RANGE.query`select t.session_id as id, min(t.started_at) as first, max(t.started_at) as last from trace t
        where t.project_id = ${projectId} and ${anyOf('t.session_id', sessionIds)} group by t.session_id`,
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Takes rows about traces, spans and sessions along when these go; a session goes with the last of its traces. */
  takeAlong(name: string, rows: RowsOfTraces): SpanCommitParticipant {
    const onCommit = async (tx: WriteTx, changes: readonly TracingChange[]): Promise<void> => {
      for (const change of changes) if (change.type === 'cleared') await rows.deleteAll(tx, change.scope);
      for (const [projectId, ofProject] of Map.groupBy(changes, ({ scope }) => scope.projectId)) {
        const traceIds = ofProject.flatMap((change) => (change.type === 'trace_deleted' ? [change.trace.id] : []));
        const spanIds = ofProject.flatMap((change) => (change.type === 'span_deleted' ? [change.before.id] : []));
        const sessions = new Set(ofProject.flatMap((change) => sessionLeftBy(change) ?? []));
        const left = await this.findSessions(tx, projectId, [...sessions], traceIds);
        const sessionIds = [...sessions.difference(left)];
        await rows.deleteOf(tx, projectScope(projectId), { traceIds, spanIds, sessionIds });
      }
    };
    return { name, onCommit };
  }

  /** Traces by their ids, in any order. */
  async load(scope: Scope, ids: readonly string[]): Promise<TraceRow[]> {
    if (ids.length === 0) return [];
    return this.storage.readLong(
      TRACE_COLUMNS.query`select ${TRACE_COLUMNS} from trace t
        where t.project_id = ${scope.projectId} and ${anyOf('t.id', [...new Set(ids)])}`,
      scope,
    );
  }

  /** The newest traces of a session, newest first. */
  listOfSession({ projectId }: Scope, sessionId: string, limit: number): Promise<TraceRow[]> {
    return this.storage.read(
      TRACE_COLUMNS.query`select ${TRACE_COLUMNS} from trace t where t.project_id = ${projectId}
        and t.session_id = ${sessionId} order by t.started_at desc, t.id desc limit ${limit}`,
    );
  }

  /** Which of the sessions have a trace beside some that go. */
  private async findSessions(
    tx: WriteTx,
    projectId: string,
    sessionIds: readonly string[],
    leaving: readonly string[],
  ): Promise<Set<string>> {
    if (sessionIds.length === 0) return new Set();
    const rows = await tx.all(
      ID.query`select distinct t.session_id as id from trace t where t.project_id = ${projectId}
        and ${anyOf('t.session_id', sessionIds)} and not ${anyOf('t.id', leaving)}`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** The first project behind an id, in the order of ids, that has traces; `null` at the end. */
  async findProjectBehind(tx: Pick<WriteTx, 'all'>, projectId: string): Promise<string | null> {
    const [row] = await tx.all(PROJECT.query`select min(project_id) as id from trace where project_id > ${projectId}`);
    return row?.id ?? null;
  }
}

/** The session that lost a trace. */
function sessionLeftBy(change: TracingChange): string | null {
  if (change.type === 'trace_deleted') return change.trace.sessionId;
  if (change.type !== 'trace_updated' || change.before.sessionId === change.trace.sessionId) return null;
  return change.before.sessionId;
}
