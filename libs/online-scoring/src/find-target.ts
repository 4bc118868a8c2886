import { Injectable } from '@nestjs/common';
import { isStorableText, jsonTextInPieces, type ScoringFilters, type ScoringTarget } from '@spandrel/contract';
import { datapointOfSpan, findFailedFilter, type JudgedSpan } from '@spandrel/datasets';
import { readInputAndExpected } from '@spandrel/evals';
import { inTurns, Invalid, NotFound, type Scope } from '@spandrel/kernel';
import { fromJsonText } from '@spandrel/storage';
import {
  costOf,
  FindTalks,
  spanNotFound,
  SpanStore,
  STATUS,
  TraceLookups,
  traceNotFound,
  TraceStore,
  type StoredSpan,
  type TraceRow,
} from '@spandrel/tracing';

/** The newest traces of a session that are looked at. */
const TRACES_MAX = 100;
/** Spans of a trace that its filters look at. */
const SPANS_MAX = 1_000;

/** Texts of a session that a scorer sees, in UTF-16 units of their JSON. */
const TEXTS_MAX = 8 * 1024 * 1024;

/** What a rule may judge: a span, or a trace or a session as a whole. */
export interface Target {
  target: ScoringTarget;
  id: string;
  /** By what the sample takes it: the trace, of a session the session. */
  sampledBy: string;
  /** The span's own, or those of the session, oldest first. */
  traces: TraceRow[];
  span: StoredSpan | undefined;
  isRunning: boolean;
  /** When the last of it ended, in ms. */
  endedAt: number;
}

export interface TargetTexts {
  input: unknown;
  output: string;
  latencyMs: number | null;
  cost: number | null;
}

/** Finds what rules judge, looks at it with their filters, and reads its texts. */
@Injectable()
export class FindTarget {
  constructor(
    private readonly spans: SpanStore,
    private readonly traces: TraceStore,
    private readonly lookups: TraceLookups,
    private readonly talks: FindTalks,
  ) {}

  /** @returns `undefined` where it is not stored. */
  async find(scope: Scope, target: ScoringTarget, id: string): Promise<Target | undefined> {
    if (!isStorableText(id)) return undefined;
    if (target === 'session') {
      const traces = (await this.lookups.listOfSession(scope, id, TRACES_MAX)).toReversed();
      return traces.length === 0 ? undefined : wholeTarget(target, id, traces);
    }
    if (target === 'trace') {
      const trace = await this.traces.find(scope, id);
      return trace && wholeTarget(target, id, [trace]);
    }
    const span = await this.spans.find(scope, id);
    const trace = span && (await this.traces.find(scope, span.traceId));
    if (!trace) return undefined;
    const isRunning = span.status === STATUS.running;
    return { target, id, sampledBy: trace.id, traces: [trace], span, isRunning, endedAt: span.endedAt ?? 0 };
  }

  /**
   * What a request names for a rule: a trace is also named by a span of it, a session by a trace or a span.
   * @throws Invalid where it names nothing that the rule judges. @throws NotFound for what is not stored.
   */
  async resolve(
    scope: Scope,
    target: ScoringTarget,
    {
      span_id: spanId,
      trace_id: traceId,
      session_id: sessionId,
    }: { [Member in `${ScoringTarget}_id`]?: string | undefined },
  ): Promise<Target> {
    const naming = { span: [spanId], trace: [spanId, traceId], session: [spanId, traceId, sessionId] };
    if (naming[target].every((id) => id === undefined)) {
      const message = `is required: the rule judges ${target}s`;
      throw new Invalid('validation_failed', `${target}_id ${message}`, [{ path: `${target}_id`, message }]);
    }
    const find = async (kind: ScoringTarget, id: string | undefined, missing: () => NotFound) => {
      const found = id === undefined ? undefined : await this.find(scope, kind, id);
      if (!found) throw missing();
      return found;
    };
    if (target === 'span') return find('span', spanId, spanNotFound);
    const named = spanId === undefined ? undefined : (await find('span', spanId, spanNotFound)).traces[0]!.id;
    if (target === 'trace') return find('trace', traceId ?? named, traceNotFound);
    const trace = traceId ?? named;
    const ofTrace = trace === undefined ? null : (await find('trace', trace, traceNotFound)).traces[0]!.sessionId;
    return find('session', sessionId ?? ofTrace ?? undefined, sessionNotFound);
  }

  /** The first of a rule's filters that does not hold; `undefined`: all do (docs/spec/online-scoring.md#filters). */
  async findFailedFilter(
    scope: Scope,
    { tag, exclude_tag: excluded, ...filters }: ScoringFilters & { exclude_tag: readonly string[] },
    { span, traces }: Target,
  ): Promise<string | undefined> {
    const failed = span ? findFailedFilter(filters, span) : await this.findFailedOfWhole(scope, filters, traces);
    if (failed !== undefined) return failed;
    const tags = traces.flatMap((trace) => fromJsonText(trace.tags) as string[]);
    if (typeof tag === 'string' && !tags.includes(tag)) return 'tag';
    return tags.some((each) => excluded.includes(each)) ? 'exclude_tag' : undefined;
  }

  /** What a target was asked and answered; of a trace the call that answered, of a session those of its traces. */
  async readTexts(scope: Scope, { span, traces }: Target): Promise<TargetTexts> {
    if (span) return textsOf(span);
    const talks = await this.talks.execute(
      scope,
      traces.map(({ id }) => id),
    );
    const read: TargetTexts[] = [];
    let length = 0;
    // The newest first: a scorer sees the end of a session that does not fit into memory.
    for (const { id } of traces.toReversed()) {
      const callId = talks.get(id)?.line.at(-1)?.id;
      const last = callId === undefined ? await this.findRoot(scope, id) : await this.spans.find(scope, callId);
      length += (last?.input?.length ?? 0) + (last?.output?.length ?? 0);
      if (length > TEXTS_MAX && read.length > 0) break;
      if (last) read.unshift(await textsOf(last));
    }
    const last = read.at(-1) ?? { input: null, output: '', latencyMs: null, cost: null };
    if (read.length < 2) return last;
    const earlier = read.slice(0, -1).map(({ input, output }) => ({ input, output }));
    return { ...last, input: [...earlier, { input: last.input }] };
  }

  private async findRoot(scope: Scope, traceId: string): Promise<StoredSpan | undefined> {
    const spans = await this.spans.ofTrace(scope, traceId, undefined, SPANS_MAX);
    return spans.find(({ parentId }) => parentId === null) ?? spans[0];
  }

  /** Sums are those of the whole; a model, a provider, a kind and a name are those of any part. */
  private async findFailedOfWhole(
    scope: Scope,
    { model, provider, kind, name_contains: name, ...sums }: ScoringFilters,
    traces: readonly TraceRow[],
  ): Promise<string | undefined> {
    const whole = sumUp(traces);
    const failed = findFailedFilter(sums, whole);
    if (failed !== undefined) return failed;
    const isNamed = traces.some(
      (trace) => !findFailedFilter({ name_contains: name }, { ...whole, name: trace.name ?? '' }),
    );
    if (!isNamed) return 'name_contains';
    const parts = { model, provider, kind };
    const given = (['model', 'provider', 'kind'] as const).find((each) => typeof parts[each] === 'string');
    if (given === undefined) return undefined;
    for (const { id } of traces) {
      const spans = await this.spans.ofTrace(scope, id, undefined, SPANS_MAX);
      if (spans.some((span) => !findFailedFilter(parts, span))) return undefined;
    }
    return given;
  }
}

const sessionNotFound = (): NotFound => new NotFound('session_not_found', 'there is no session with this id');

const wholeTarget = (target: ScoringTarget, id: string, traces: TraceRow[]): Target => ({
  ...{ target, id, sampledBy: id, traces, span: undefined },
  isRunning: traces.some(({ runningCount }) => runningCount > 0),
  endedAt: Math.max(...traces.map(({ lastEndedAt, startedAt }) => lastEndedAt ?? startedAt)),
});

function sumUp(traces: readonly TraceRow[]): JudgedSpan {
  const began = Math.min(...traces.map(({ startedAt }) => startedAt));
  const ends = traces.flatMap(({ lastEndedAt }) => lastEndedAt ?? []);
  const priced = traces.filter(({ costCount }) => costCount > 0);
  return {
    ...{ name: '', kindType: '', model: null, provider: null },
    status: traces.some(({ errorCount }) => errorCount > 0) ? STATUS.failed : STATUS.completed,
    totalTokens: traces.reduce((sum, { totalTokens }) => sum + totalTokens, 0),
    cost:
      priced.length === 0
        ? null
        : priced.reduce((sum, { costUsd, costPico }) => sum + costOf({ usd: costUsd, pico: costPico }), 0),
    durationMs: ends.length === 0 ? null : Math.max(...ends) - began,
  };
}

async function textsOf(span: StoredSpan): Promise<TargetTexts> {
  const { input, expected } = readInputAndExpected(await datapointOfSpan(span));
  const said = expected ?? '';
  const output = typeof said === 'string' ? said : await inTurns(jsonTextInPieces(said));
  return { input, output, latencyMs: span.durationMs, cost: span.cost };
}
