import { Injectable } from '@nestjs/common';
import {
  CAPTURE_PREVIEW_SHOWN_MAX,
  CAPTURE_PREVIEW_SPANS_MAX,
  formatTimestamp,
  type CapturePreview,
  type PreviewCaptureBody,
} from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import type { LongReadOptions } from '@spandrel/storage';
import { spanOutline, SpanLookups, SpanOutlineStore } from '@spandrel/tracing';
import { DatasetStore } from '../dataset.store.js';
import { datasetNotFound } from '../not-found.js';
import { givenFilters, spanMatcher, tagHolds } from './capture-filters.js';

/** `POST /api/datasets/:id/capture-rules/preview`: what a rule would have taken; nothing is written. */
@Injectable()
export class PreviewCapture {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly lookups: SpanLookups,
    private readonly outlines: SpanOutlineStore,
  ) {}

  /** @throws NotFound `dataset_not_found`. */
  async execute(
    scope: Scope,
    datasetId: string,
    { filters: sent, sample_rate: sampleRate }: PreviewCaptureBody,
    options: LongReadOptions,
  ): Promise<CapturePreview> {
    if (!(await this.datasets.find(scope, datasetId))) throw datasetNotFound();
    const filters = givenFilters(sent ?? {});
    const newest = await this.lookups.listNewestFinished(scope, CAPTURE_PREVIEW_SPANS_MAX + 1, options);
    const scanned = newest.slice(0, CAPTURE_PREVIEW_SPANS_MAX);
    const taken = scanned.filter(spanMatcher(filters)).map(({ id }) => id);
    const tags = await this.lookups.findTagsOfFinished(scope, taken);
    const matching = taken.filter((id) => {
      const its = tags.get(id);
      return its !== undefined && tagHolds(filters, its);
    });
    const shown = matching.slice(0, CAPTURE_PREVIEW_SHOWN_MAX);
    const oldest = scanned.at(-1);
    return {
      scanned: scanned.length,
      matched: matching.length,
      would_capture: Math.round(matching.length * (sampleRate ?? 1)),
      since: oldest === undefined ? null : formatTimestamp(oldest.startedAt),
      complete: newest.length <= CAPTURE_PREVIEW_SPANS_MAX,
      spans: await this.outlinesOf(scope, shown, options),
    };
  }

  /** The outlines of some spans in their order; those that went meanwhile are left out. */
  private async outlinesOf(
    scope: Scope,
    ids: readonly string[],
    options: LongReadOptions,
  ): Promise<CapturePreview['spans']> {
    const outlines: CapturePreview['spans'] = [];
    for (let at = 0; at < ids.length;) {
      const wanted = ids.slice(at);
      const loaded = await this.outlines.loadSome(scope, wanted, 0, options);
      outlines.push(...loaded.map(spanOutline));
      at += Math.max(1, wanted.indexOf(loaded.at(-1)?.id ?? '') + 1);
    }
    return outlines;
  }
}
