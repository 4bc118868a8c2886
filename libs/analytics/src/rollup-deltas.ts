import { addCost, isUnpriced, toCostSum, type CountedSpan } from '@spandrel/tracing';
import { GRAIN, type RollupKey, type RollupRow } from './rollup.entity.js';
import { bucketStart } from './time-buckets.js';

/** Kind of the spans that `models` of the summary counts. */
const LLM_CALL = 'llm_call';

/** A model or provider as the roll-up's key has it: a key cannot be null, and a name may be empty. */
export const nameKey = (name: string | null): string => (name === null ? '' : `=${name}`);

/**
 * What spans add to the roll-ups and take from them, added up by hour; the sums are exact, so that what comes and goes
 * leaves nothing.
 */
export class RollupDeltas {
  private readonly hours = new Map<string, RollupRow>();

  /** Whether any span came, went or changed, also when it adds up to nothing. */
  get touched(): boolean {
    return this.hours.size > 0;
  }

  add(span: CountedSpan, sign: 1 | -1): void {
    const row = this.rowOf(span);
    row.spanCount += sign;
    row.tokens += sign * (span.totalTokens ?? 0);
    row.durationMs += sign * (span.durationMs ?? 0);
    if (isUnpriced(span)) row.unpricedCount += sign;
    if (span.cost === null) return;
    row.costCount += sign;
    const { usd, pico } = toCostSum(span.cost);
    addCostTo(row, sign * usd, sign * pico);
  }

  /** Takes away sums of an hour, as a row of the grain `hour` has them. */
  subtract(sums: RollupRow): void {
    const row = rowIn(this.hours, sums);
    row.spanCount -= sums.spanCount;
    row.tokens -= sums.tokens;
    row.durationMs -= sums.durationMs;
    row.costCount -= sums.costCount;
    row.unpricedCount -= sums.unpricedCount;
    addCostTo(row, -sums.costUsd, -sums.costPico);
  }

  /**
   * What is to be added to the rows of all grains, without what adds up to nothing, in the order of their keys: writers
   * that lock rows in one order cannot deadlock.
   */
  rows(): RollupRow[] {
    const rows = new Map<string, RollupRow>();
    for (const hour of this.hours.values()) {
      if (isNothing(hour)) continue;
      addTo(rows, hour, hour);
      addTo(rows, hour, { ...hour, grain: GRAIN.day, bucket: bucketStart(hour.bucket, 'day') });
      addTo(rows, hour, { ...hour, grain: GRAIN.all, bucket: 0 });
      addTo(rows, hour, { ...hour, grain: GRAIN.wholeHour, model: '', provider: '', llm: 0 });
    }
    return [...rows.values()].filter((row) => !isNothing(row)).toSorted(compareKeys);
  }

  private rowOf({ projectId, startedAt, model, provider, status, kindType }: CountedSpan): RollupRow {
    const key = {
      projectId,
      grain: GRAIN.hour,
      bucket: bucketStart(startedAt, 'hour'),
      model: nameKey(model),
      provider: nameKey(provider),
      status,
      llm: kindType === LLM_CALL ? 1 : 0,
    };
    return rowIn(this.hours, key);
  }
}

function addTo(rows: Map<string, RollupRow>, hour: RollupRow, key: RollupKey): void {
  const row = rowIn(rows, key);
  row.spanCount += hour.spanCount;
  row.tokens += hour.tokens;
  row.durationMs += hour.durationMs;
  row.costCount += hour.costCount;
  row.unpricedCount += hour.unpricedCount;
  addCostTo(row, hour.costUsd, hour.costPico);
}

/** The row of a key, made when there is none. Names have no NUL. */
function rowIn(rows: Map<string, RollupRow>, key: RollupKey): RollupRow {
  const { projectId, grain, bucket, model, provider, status, llm } = key;
  const text = `${grain}${status}${llm}${bucket}\0${model}\0${provider}\0${projectId}`;
  let row = rows.get(text);
  if (!row) {
    row = {
      projectId,
      grain,
      bucket,
      model,
      provider,
      status,
      llm,
      spanCount: 0,
      tokens: 0,
      durationMs: 0,
      costUsd: 0,
      costPico: 0,
      costCount: 0,
      unpricedCount: 0,
    };
    rows.set(text, row);
  }
  return row;
}

function addCostTo(row: RollupRow, usd: number, pico: number): void {
  const sum = addCost({ usd: row.costUsd, pico: row.costPico }, { usd, pico });
  row.costUsd = sum.usd;
  row.costPico = sum.pico;
}

const isNothing = (row: RollupRow): boolean =>
  row.spanCount === 0 &&
  row.tokens === 0 &&
  row.durationMs === 0 &&
  row.costUsd === 0 &&
  row.costPico === 0 &&
  row.costCount === 0 &&
  row.unpricedCount === 0;

const compareKeys = (a: RollupRow, b: RollupRow): number =>
  compareText(a.projectId, b.projectId) ||
  a.grain - b.grain ||
  a.bucket - b.bucket ||
  compareText(a.model, b.model) ||
  compareText(a.provider, b.provider) ||
  a.status - b.status ||
  a.llm - b.llm;

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
