import { Injectable } from '@nestjs/common';
import type { DatapointKind } from '@spandrel/contract';
import { DomainEvents } from '@spandrel/events';
import { newId, Turn, type Scope } from '@spandrel/kernel';
import { ProjectMasking } from '@spandrel/masking';
import { Storage, type WriteTx, writtenAhead } from '@spandrel/storage';
import { SpanLookups, SpanStore, type StoredSpan } from '@spandrel/tracing';
import { storedFilters, tagHolds } from './capture-filters.js';
import type { CaptureRuleRow, CaptureTaskRow } from './capture-rule.entity.js';
import { CaptureRuleStore } from './capture-rule.store.js';
import { CaptureTaskStore, keyOf } from './capture-task.store.js';
import { ChangeDatapoints } from '../change-datapoints.js';
import { maskKind } from '../edit-datapoints.js';
import { datapointOfSpan } from '../datapoint-of-span.js';
import { DatasetStore } from '../dataset.store.js';
import { spansInSlices } from '../export-spans.js';

/** Text, in UTF-16 units, that the datapoints of one transaction hold, about: others write in between. */
const TRANSACTION_SIZE = 2 * 1024 * 1024;

interface NewCapture {
  rule: CaptureRuleRow;
  spanId: string;
  kind: DatapointKind;
  id: string;
}

type Rules = ReadonlyMap<string, CaptureRuleRow>;
type Spans = ReadonlyMap<string, StoredSpan>;

/**
 * Does capture tasks: each becomes a datapoint, a capture, one more in the rule's count and two events, or nothing, in
 * the transaction that ends it; never twice, no matter who else works on the same task
 * (docs/spec/capture-rules.md#at-most-one-datapoint-for-a-rule-and-a-span).
 */
@Injectable()
export class CaptureSpans {
  constructor(
    private readonly storage: Storage,
    private readonly spans: SpanStore,
    private readonly datasets: DatasetStore,
    private readonly rules: CaptureRuleStore,
    private readonly tasks: CaptureTaskStore,
    private readonly lookups: SpanLookups,
    private readonly datapoints: ChangeDatapoints,
    private readonly events: DomainEvents,
    private readonly masking: ProjectMasking,
  ) {}

  /**
   * Does tasks of one project, in as many transactions as their size takes; yields behind each. Idempotent.
   * @throws what lost a transaction; those before it stand.
   */
  async *execute(scope: Scope, tasks: readonly CaptureTaskRow[]): AsyncGenerator<void> {
    const rules = byId(await this.rules.findSome(scope, ruleIdsOf(tasks)));
    const tags = await this.lookups.findTagsOfFinished(scope, spanIdsOf(tasks));
    const { taken = [], others } = Object.groupBy(tasks, ({ ruleId, spanId }) =>
      takes(rules.get(ruleId), tags.get(spanId)) ? 'taken' : 'others',
    );
    if (others) yield await this.commit(scope, rules, others, new Map());
    // A span deleted meanwhile is passed over: its task ends the next time.
    for await (const loaded of spansInSlices(this.spans, scope, spanIdsOf(taken))) {
      const spans = new Map(loaded.map((span) => [span.id, span]));
      for (const part of inParts(taken, spans)) yield await this.commit(scope, rules, part, spans);
    }
  }

  /**
   * Ends tasks in one transaction. Locks datasets, then rules, each in the order of their ids, as everyone does; who has
   * locked a rule has its tasks and captures to himself.
   * @param spans those of the tasks that a rule takes; a task that would need another is left for the next time.
   */
  private async commit(scope: Scope, known: Rules, tasks: readonly CaptureTaskRow[], spans: Spans): Promise<void> {
    const spanIds = spanIdsOf(tasks);
    const kinds = new Map<string, DatapointKind>();
    const turn = new Turn();
    for (const spanId of spanIds) {
      const span = spans.get(spanId);
      if (!span) continue;
      kinds.set(spanId, await writtenAhead(await maskKind(this.masking, scope, await datapointOfSpan(span))));
      if (turn.isOver()) await turn.next();
    }
    // The transaction is milliseconds of work, too.
    await turn.next();
    const ids = tasks.map(() => newId());
    const now = Date.now();
    await this.storage.write(async (tx) => {
      const rules = await this.lock(tx, scope, known, ruleIdsOf(tasks));
      const left = new Set((await this.tasks.findSome(tx, scope, tasks)).map(keyOf));
      const captured = await this.tasks.captured(tx, scope, tasks);
      const tags = await this.lookups.findTagsOfFinished(scope, spanIds, tx);
      const captures: NewCapture[] = [];
      const ended: CaptureTaskRow[] = [];
      for (const [index, task] of tasks.entries()) {
        if (!left.has(keyOf(task))) continue;
        const { ruleId, spanId } = task;
        const rule = rules.get(ruleId);
        const kind = kinds.get(spanId);
        const due = rule && takes(rule, tags.get(spanId)) && !captured.has(keyOf(task));
        if (due && kind) captures.push({ rule, spanId, kind, id: ids[index]! });
        if (!due || kind) ended.push(task);
      }
      await this.capture(tx, scope, captures, now);
      await this.tasks.delete(tx, scope, ended);
    });
  }

  private async lock(tx: WriteTx, scope: Scope, known: Rules, ruleIds: readonly string[]): Promise<Rules> {
    const datasetIds = new Set(ruleIds.flatMap((id) => known.get(id)?.datasetId ?? []));
    for (const datasetId of [...datasetIds].sort()) {
      if (!(await this.datasets.findForWrite(tx, scope, datasetId))) datasetIds.delete(datasetId);
    }
    const rules = await this.rules.findSomeForWrite(tx, scope, ruleIds);
    return byId(rules.filter(({ datasetId }) => datasetIds.has(datasetId)));
  }

  private async capture(tx: WriteTx, scope: Scope, captures: readonly NewCapture[], now: number): Promise<void> {
    if (captures.length === 0) return;
    for (const [datasetId, added] of Map.groupBy(captures, ({ rule }) => rule.datasetId)) {
      await this.datapoints.add(
        tx,
        scope,
        datasetId,
        added.map(({ id, kind, spanId }) => ({ id, kind, source: 'span_export', sourceSpanId: spanId })),
        now,
      );
    }
    const { projectId } = scope;
    const made = captures.map(({ rule, spanId, id }) => ({ projectId, ruleId: rule.id, spanId, datapointId: id }));
    await this.tasks.addCaptures(tx, made);
    const counted = Map.groupBy(captures, ({ rule }) => rule);
    for (const [rule, its] of counted) rule.capturedCount += its.length;
    await this.events.emit(
      tx,
      scope,
      ...captures.map(({ rule, spanId, id }) => ({
        type: 'capture_triggered' as const,
        rule_id: rule.id,
        span_id: spanId,
        datapoint_id: id,
      })),
    );
  }
}

/** Whether a rule takes a span that its filters took: by what is known only later. @param tags none: it is not finished. */
const takes = (rule: CaptureRuleRow | undefined, tags: readonly string[] | undefined): boolean =>
  rule?.enabled === 1 && tags !== undefined && tagHolds(storedFilters(rule), tags);

/** The tasks of loaded spans, in the order of the spans, in parts of {@link TRANSACTION_SIZE}, at least one task each. */
function* inParts(tasks: readonly CaptureTaskRow[], spans: Spans): Generator<CaptureTaskRow[]> {
  const bySpan = Map.groupBy(tasks, ({ spanId }) => spanId);
  let part: CaptureTaskRow[] = [];
  let size = 0;
  for (const [spanId, span] of spans) {
    const spanSize = (span.input?.length ?? 0) + (span.output?.length ?? 0);
    for (const task of bySpan.get(spanId) ?? []) {
      size += spanSize;
      if (size > TRANSACTION_SIZE && part.length > 0) {
        yield part;
        part = [];
        size = spanSize;
      }
      part.push(task);
    }
  }
  if (part.length > 0) yield part;
}

const ruleIdsOf = (tasks: readonly CaptureTaskRow[]): string[] => [...new Set(tasks.map(({ ruleId }) => ruleId))];

const spanIdsOf = (tasks: readonly CaptureTaskRow[]): string[] => [...new Set(tasks.map(({ spanId }) => spanId))];

const byId = (rules: readonly CaptureRuleRow[]): Rules => new Map(rules.map((rule) => [rule.id, rule]));
