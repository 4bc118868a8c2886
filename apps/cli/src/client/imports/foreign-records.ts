import type { SpanKind } from '@spandrel/contract';
import { filledTextOf, type ReadUsage } from '@spandrel/plugin-api';
import { keepId, keyOf, keysOf, kindFor, metadataWith, nameOf, payloadOf, textOf, timeOf } from './foreign-values.js';
import type { Members } from './foreign-values.js';

/** Traces, spans and scores of an ingest, made of what another product says of them. `rest` is what has no place. */

type Given<Names extends string> = Readonly<Record<Names | 'id' | 'name' | 'metadata', unknown>> & { rest: Members };

/** A trace of an ingest; `undefined` without its id or its start. */
export function traceOf(from: string, given: Given<'start' | 'session' | 'tags'> & { user?: unknown }) {
  const [id, began] = [textOf(given.id), timeOf(given.start)];
  if (id === null || began === undefined) return undefined;
  return {
    ...{ id: keepId(id), name: filledTextOf(given.name) && nameOf(given.name, ''), started_at: began },
    ...{ session_id: keyOf(given.session) ?? null, user_id: keyOf(given.user) ?? null, tags: keysOf(given.tags) },
    metadata: metadataWith(given.metadata, from, { ...given.rest, ...changed({ id }) }),
  };
}
export type TraceItem = NonNullable<ReturnType<typeof traceOf>>;

/** It ends when it starts where its end is no time; `error` is what it failed by. */
type GivenSpan = Given<'traceId' | 'parent' | 'type' | 'input' | 'output' | 'start' | 'end'> & {
  model?: unknown;
  provider?: unknown;
  usage?: ReadUsage | undefined;
  error?: string | undefined;
};

/** A span of an ingest; `undefined` without its id, its trace or its start. */
export function spanOf(from: string, given: GivenSpan) {
  const [id, traceId, parent] = [given.id, given.traceId, given.parent].map(textOf);
  const [began, ended] = [timeOf(given.start), timeOf(given.end)];
  if (!id || !traceId || began === undefined) return undefined;
  const type = (textOf(given.type) ?? 'unknown').toLowerCase();
  const name = nameOf(given.name, type);
  const kind: SpanKind = kindFor(type, name, given);
  const notEnded = ended === undefined && { end_time: 'none' };
  return {
    ...{ id: keepId(id), trace_id: keepId(traceId), parent_id: parent ? keepId(parent) : null, name, kind },
    ...{ input: payloadOf(given.input), output: payloadOf(given.output), started_at: began, ended_at: ended ?? began },
    ...(given.error !== undefined && { error: given.error }),
    metadata: metadataWith(given.metadata, from, { ...given.rest, ...changed({ id, trace_id: traceId }), ...notEnded }),
  };
}

/** A span for what a trace itself was asked and answered. */
export function spanOfTrace(
  from: string,
  { id, name, started_at: start }: TraceItem,
  said: Pick<GivenSpan, 'input' | 'output' | 'end' | 'error'> & { rest?: Members },
) {
  const own = { id: `${id}:trace`, traceId: id, parent: null, name: name ?? 'trace', type: 'trace', start };
  return spanOf(from, { metadata: null, rest: {}, ...own, ...said })!;
}

/** The words of all products for who gave a score, where that is not `code`. */
const SOURCES: Readonly<Record<string, string>> = {
  ...{ ANNOTATION: 'human', HUMAN: 'human', ui: 'human' },
  ...{ EVAL: 'judge', LLM: 'judge', online_scoring: 'judge' },
};

const COMMENT_MAX = 10_000;

/** A score of an ingest. @param target what it is about, by ids of ours. */
export function scoreOf(
  from: string,
  target: Members,
  given: Given<'value' | 'label' | 'comment' | 'source' | 'author'> & { id: string },
) {
  return {
    ...{ id: keepId(given.id), ...target, name: keyOf(given.name) ?? 'score', value: given.value ?? null },
    ...{ label: keyOf(given.label) ?? null, comment: filledTextOf(given.comment)?.slice(0, COMMENT_MAX) ?? null },
    ...{ source: SOURCES[textOf(given.source) ?? ''] ?? 'code', author: keyOf(given.author) ?? from },
    metadata: metadataWith(given.metadata, from, given.rest),
  };
}

const changed = (ids: Readonly<Record<string, string>>): Members =>
  Object.fromEntries(Object.entries(ids).filter(([, id]) => keepId(id) !== id));
