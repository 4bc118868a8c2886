import type { ReadStoreRange, ReadStoreTextsQuery } from '@spandrel/plugin-api';
import { isOfProject, literal, literals } from './list.sql.js';

/** Texts of spans, as an array of id, input and output: their starts and traces say where they lie. */
export function textsOf(database: string, { projectId, spans }: ReadStoreTextsQuery): string {
  const starts = [...new Set(spans.map(({ started_at: start }) => start))];
  const traces = [...new Set(spans.map(({ trace_id: id }) => id))];
  const minutes = [...new Set(starts.map((start) => Math.trunc(start / 60_000)))];
  return `SELECT groupArray((s.id, s.input, s.output)) FROM ${database}.spans AS s FINAL
    WHERE ${isOfProject(projectId)} AND intDiv(s.started_at, 60000) IN (${minutes.map(literal).join(', ')})
    AND s.started_at BETWEEN ${literal(Math.min(...starts))} AND ${literal(Math.max(...starts))}
    AND s.trace_id IN ${literals(traces)} AND s.id IN ${literals(spans.map(({ id }) => id))}`;
}

/** The digest of a span's texts, as `textsDigest` of the plugin API has it. */
const DIGEST = `reinterpretAsUInt64(reverse(substring(MD5(concat(s.id, ' ', toString(length(ifNull(s.input, ''))), ' ',
  ifNull(s.input, ''), ifNull(s.output, ''))), 1, 5)))`;

/** How many spans of a range there are, and the sum of their digests. */
export const digestOf = (database: string, { projectId, since, until }: ReadStoreRange): string =>
  `SELECT (count(), toString(sum(toUInt128(${DIGEST})))) FROM ${database}.spans AS s FINAL
    WHERE ${isOfProject(projectId)} AND s.started_at >= ${literal(since)} AND s.started_at < ${literal(until)}`;
