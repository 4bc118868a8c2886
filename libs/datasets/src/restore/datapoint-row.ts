import type { RestoredDatapoint } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { newRow } from '../change-datapoints.js';
import { datapointResource } from '../datapoint-resource.js';
import type { DatapointRow } from '../datapoint.entity.js';

/** The row of a datapoint of an export. */
export function datapointRow(scope: Scope, item: RestoredDatapoint, version: number): DatapointRow {
  const { id, kind, source, source_span_id: sourceSpanId } = item;
  const added = { id, kind: JSON.stringify(kind), source, sourceSpanId: sourceSpanId ?? null };
  const row = newRow(scope, item.dataset_id, added, version, item.created_at);
  return { ...row, updatedAt: item.updated_at };
}

/** Two datapoints that are shown alike are the same. */
export const shownOf = (row: DatapointRow): string => JSON.stringify(datapointResource(row));

/** What versions of a dataset distinguish in a datapoint: all but the newest result of a run, and when that came. */
export function askedOf(row: DatapointRow): string {
  const { kind, updated_at: _updatedAt, ...others } = datapointResource(row);
  if (!('Generic' in kind)) return JSON.stringify([others, kind]);
  const { actual_output: _output, score: _score, ...asked } = kind.Generic;
  return JSON.stringify([others, asked]);
}
