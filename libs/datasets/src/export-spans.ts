import { Injectable } from '@nestjs/common';
import {
  isStorableText,
  jsonTextInPieces,
  type ErrorCode,
  type ExportedSpans,
  type ExportSpans,
} from '@spandrel/contract';
import { inTurns, newId, Turn, type Scope } from '@spandrel/kernel';
import { SpanStore, type StoredSpan } from '@spandrel/tracing';
import { checkedDatapoint, explainFaults } from './datapoint-of-span.js';
import { DatapointStore } from './datapoint.store.js';
import { DatasetStore } from './dataset.store.js';
import { ImportUpkeep } from './import/import-upkeep.js';
import { StagedBatch, untilNotOvertaken } from './import/staged-import.js';
import { NO_SPAN } from './dataset-participants.js';

type MakeDatapoint = (span: StoredSpan) => ReturnType<typeof checkedDatapoint>;

type Created = ExportedSpans['created'][number];
/** Why a span did not become a datapoint. */
interface Refusal {
  code: ErrorCode;
  message: string;
}

/**
 * `POST /api/datasets/:id/export-spans`: spans become datapoints, those that can, as one change of the dataset. They go
 * the way of an import (ADR 0007), so that spans of any size neither fill the memory nor hold up other writers.
 */
@Injectable()
export class ExportSpansToDataset {
  constructor(
    private readonly spans: SpanStore,
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly upkeep: ImportUpkeep,
  ) {}

  /** @param make says what a span becomes. @throws NotFound `dataset_not_found`. */
  execute(
    scope: Scope,
    datasetId: string,
    asked: ExportSpans,
    make: MakeDatapoint = checkedDatapoint,
  ): Promise<ExportedSpans> {
    return untilNotOvertaken(() => this.exportOnce(scope, datasetId, asked, make));
  }

  private async exportOnce(
    scope: Scope,
    datasetId: string,
    { span_ids: spanIds, skip_existing: skipsExisting }: ExportSpans,
    make: MakeDatapoint,
  ): Promise<ExportedSpans> {
    const { version } = await this.datasets.get(scope, datasetId);
    const named = [...new Set(spanIds)];
    const existing = skipsExisting ? await this.datapoints.findOfSpans(scope, datasetId, named) : new Map();
    const ids = named.filter((id) => !existing.has(id));
    const staged = this.upkeep.begin(scope, datasetId);
    if (skipsExisting) staged.lookedThroughAt = version;
    const created: Created[] = [];
    const unread: string[] = [];
    const refused = new Map<string, Refusal>();
    await this.upkeep.run(staged, async () => {
      const batch = new StagedBatch(staged, this.upkeep.stopping);
      const turn = new Turn();
      for await (const loaded of spansInSlices(this.spans, scope, ids.filter(isStorableText))) {
        for (const span of loaded) {
          const outcome = await datapointIn(batch, span, make);
          if ('code' in outcome) refused.set(span.id, outcome);
          else {
            created.push(outcome.created);
            if (outcome.isUnread) unread.push(span.id);
          }
          if (batch.isFull) await batch.flush();
          if (turn.isOver()) await turn.next();
        }
      }
      await batch.flush();
    });
    const made = new Set(created.map(({ span_id }) => span_id));
    const rejected = ids
      .filter((id) => !made.has(id))
      .map((id) => ({ span_id: id, ...(refused.get(id) ?? { code: 'span_not_found', message: NO_SPAN }) }));
    return {
      created,
      ...(skipsExisting && {
        existing: [...existing].map(([span_id, datapoint_id]) => ({ span_id, datapoint_id })),
      }),
      ...(unread.length > 0 && { unread_answers: unread }),
      rejected,
    };
  }
}

/** What came of a span; `isUnread` where it has an output that is no answer. */
type Outcome = { created: Created; isUnread: boolean } | Refusal;

async function datapointIn(batch: StagedBatch, span: StoredSpan, make: MakeDatapoint): Promise<Outcome> {
  const { kind, faults } = await make(span);
  if (!kind) return { code: 'validation_failed', message: explainFaults(faults) };
  const id = newId();
  batch.put({ id, kind: await inTurns(jsonTextInPieces(kind)), source: 'span_export', sourceSpanId: span.id });
  const expectsNothing = 'LlmConversation' in kind && kind.LlmConversation.expected === null;
  return { created: { span_id: span.id, datapoint_id: id }, isUnread: expectsNothing && span.output !== null };
}

/** The spans of some ids, in their order, as many at a time as fit into memory; those that are not there are left out. */
export async function* spansInSlices(
  spans: Pick<SpanStore, 'loadSome'>,
  scope: Scope,
  ids: readonly string[],
): AsyncGenerator<StoredSpan[]> {
  for (let at = 0; at < ids.length;) {
    const wanted = ids.slice(at);
    const loaded = await spans.loadSome(scope, wanted);
    // One that is gone is passed over, also where nothing else was loaded.
    at += Math.max(1, wanted.indexOf(loaded.at(-1)?.id ?? '') + 1);
    yield loaded;
  }
}
