import { Injectable } from '@nestjs/common';
import { isStorableText } from '@spandrel/contract';
import { Invalid, newId, NotFound, type Scope } from '@spandrel/kernel';
import { maskDatapoint, ProjectMasking } from '@spandrel/masking';
import { Storage, writtenAhead } from '@spandrel/storage';
import { SpanStore } from '@spandrel/tracing';
import { ChangeDatapoints } from './change-datapoints.js';
import { checkedDatapoint, explainFaults } from './datapoint-of-span.js';
import type { DatapointRow } from './datapoint.entity.js';
import { NO_SPAN } from './not-found.js';

/** `POST /api/datasets/:id/export-span`: a span becomes a datapoint; one that still runs too, without output. */
@Injectable()
export class ExportSpanToDataset {
  constructor(
    private readonly storage: Storage,
    private readonly spans: SpanStore,
    private readonly changes: ChangeDatapoints,
    private readonly masking: ProjectMasking,
  ) {}

  /**
   * @throws NotFound `span_not_found`, `dataset_not_found`; Invalid when the span nests as deep as JSON may, so that the
   *   datapoint would nest deeper.
   */
  async execute(scope: Scope, datasetId: string, spanId: string): Promise<DatapointRow> {
    const span = isStorableText(spanId) ? await this.spans.find(scope, spanId) : undefined;
    if (!span) throw new NotFound('span_not_found', NO_SPAN);
    const { kind, faults } = await checkedDatapoint(span);
    if (!kind) throw new Invalid('validation_failed', explainFaults(faults), faults);
    // The span may have been stored before there were rules.
    const masking = await this.masking.of(scope);
    const masked = masking ? await masking.run((calls) => maskDatapoint(calls, kind)) : kind;
    const added = {
      id: newId(),
      kind: await writtenAhead(masked),
      source: 'span_export' as const,
      sourceSpanId: span.id,
    };
    const now = Date.now();
    const [row] = await this.storage.write((tx) => this.changes.add(tx, scope, datasetId, [added], now));
    return row!;
  }
}
