import { getOrMake } from '@spandrel/contract';
import { addCost, isUnpriced, toCostSum, type CountedSpan } from '@spandrel/tracing';
import { LatencyHistogram } from './latency-histogram.js';
import { compareKeys, GRAIN, SUMMED, type RollupKey, type RollupRow } from './rollup.entity.js';
import { bucketStart } from './plan-range.js';

export const LLM_CALL = 'llm_call';

/** A model or provider as the roll-up's key has it: a key cannot be null, and a name may be empty. */
export const nameKey = (name: string | null): string => (name === null ? '' : `=${name}`);

type Delta = Omit<RollupRow, 'latencies'> & { readonly latencies: LatencyHistogram };

/**
 * What spans add to the roll-ups and take from them, added up by minute; the sums are exact, so that what comes and goes
 * leaves nothing.
 */
export class RollupDeltas {
  /** Rows of the grain `minute`, and of the grain `hour` what was taken away in hours. */
  private readonly parts = new Map<string, Delta>();

  /** Whether any span came, went or changed, also when it adds up to nothing. */
  get touched(): boolean {
    return this.parts.size > 0;
  }

  add(span: CountedSpan, sign: 1 | -1): void {
    const delta = deltaIn(this.parts, {
      projectId: span.projectId,
      grain: GRAIN.minute,
      bucket: bucketStart(span.startedAt, 'minute'),
      model: nameKey(span.model),
      provider: nameKey(span.provider),
      status: span.status,
      llm: span.kindType === LLM_CALL ? 1 : 0,
    });
    delta.spanCount += sign;
    delta.tokens += sign * (span.totalTokens ?? 0);
    delta.inputTokens += sign * (span.inputTokens ?? 0);
    delta.cachedTokens += sign * (span.cachedTokens ?? 0);
    if (span.durationMs !== null) {
      delta.durationMs += sign * span.durationMs;
      delta.latencies.add(span.durationMs, sign);
    }
    if (isUnpriced(span)) delta.unpricedCount += sign;
    if (span.cost === null) return;
    delta.costCount += sign;
    const { usd, pico } = toCostSum(span.cost);
    addCostTo(delta, sign * usd, sign * pico);
  }

  /**
   * Takes away sums of an hour, as a row of the grain `hour` has them. The rows of hours and days must come to nothing by it, as
   * it does not report latencies; those of minutes are left to the caller.
   */
  subtract(sums: Omit<RollupRow, 'latencies'>): void {
    const delta = deltaIn(this.parts, sums);
    for (const sum of SUMMED) delta[sum] -= sums[sum];
    addCostTo(delta, -sums.costUsd, -sums.costPico);
  }

  /**
   * What is to be added to the rows of all grains, without what adds up to nothing, in the order of their keys: writers
   * that lock rows in one order cannot deadlock.
   */
  rows(): RollupRow[] {
    const deltas = new Map<string, Delta>();
    for (const part of this.parts.values()) {
      if (isNothing(part)) continue;
      const hour = { ...part, grain: GRAIN.hour, bucket: bucketStart(part.bucket, 'hour') };
      if (part.grain === GRAIN.minute) addTo(deltas, part, part);
      addTo(deltas, part, hour);
      addTo(deltas, part, { ...hour, grain: GRAIN.day, bucket: bucketStart(part.bucket, 'day') });
      addTo(deltas, part, { ...hour, grain: GRAIN.all, bucket: 0 });
      addTo(deltas, part, { ...hour, grain: GRAIN.wholeHour, model: '', provider: '', llm: 0 });
    }
    return [...deltas.values()]
      .filter((delta) => !isNothing(delta))
      .map(({ latencies, ...row }) => ({ ...row, latencies: latencies.toText() }))
      .toSorted(compareKeys);
  }
}

function addTo(deltas: Map<string, Delta>, part: Delta, key: RollupKey): void {
  const delta = deltaIn(deltas, key);
  for (const sum of SUMMED) delta[sum] += part[sum];
  addCostTo(delta, part.costUsd, part.costPico);
  if (key.grain !== GRAIN.all) delta.latencies.addAll(part.latencies);
}

/** What is added to the row of a key, made when there is nothing yet. Names have no NUL. */
function deltaIn(deltas: Map<string, Delta>, key: RollupKey): Delta {
  const { projectId, grain, bucket, model, provider, status, llm } = key;
  const text = `${grain}${status}${llm}${bucket}\0${model}\0${provider}\0${projectId}`;
  return getOrMake(deltas, text, () => ({
    ...{ projectId, grain, bucket, model, provider, status, llm },
    ...{ spanCount: 0, tokens: 0, inputTokens: 0, cachedTokens: 0, durationMs: 0, costCount: 0, unpricedCount: 0 },
    ...{ costUsd: 0, costPico: 0 },
    latencies: new LatencyHistogram(),
  }));
}

function addCostTo(delta: Delta, usd: number, pico: number): void {
  const sum = addCost({ usd: delta.costUsd, pico: delta.costPico }, { usd, pico });
  delta.costUsd = sum.usd;
  delta.costPico = sum.pico;
}

const isNothing = (delta: Delta): boolean =>
  SUMMED.every((sum) => delta[sum] === 0) && delta.costUsd === 0 && delta.costPico === 0 && delta.latencies.isEmpty;
