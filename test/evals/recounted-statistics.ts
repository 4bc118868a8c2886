/** Statistics of a run, counted again from the rows of its samples by the plainest means there are. */
import type { Place } from '../support/places.ts';

/** A sample as its row has it. */
export interface SampleRow {
  datapointId: string;
  repeat: number;
  failed: boolean;
  score: number | null;
  /** By the names of scorers; empty where the only scorer's score is {@link score}. */
  scores: Record<string, number | null>;
  tokens: number | null;
  cost: number | null;
  latencyMs: number | null;
}

/** RESULT_STATUS.failed. */
const FAILED = 3;

/** The processed samples of a run, in the order of datapoints and repeats. */
export async function sampleRows(place: Place, runId: string, repeats: number): Promise<SampleRow[]> {
  // Runs that try each datapoint once have no rows of samples: the results are them.
  const [table, repeat] = repeats > 1 ? ['eval_sample', 'repeat'] : ['eval_result', '0'];
  const rows = await place.rows<Record<string, string | number | null>>(
    `select datapoint_id, ${repeat} as repeat, status, score, scores, tokens, cost, latency_ms from ${table}
      where run_id = '${runId}' order by datapoint_id, 2`,
  );
  const numberOf = (value: string | number | null | undefined): number | null =>
    (value ?? null) === null ? null : Number(value);
  return rows.map((row) => {
    const scores = JSON.parse(String(row['scores'] ?? '{}')) as Record<string, { score: number | null }>;
    return {
      datapointId: String(row['datapoint_id']),
      repeat: Number(row['repeat']),
      failed: Number(row['status']) === FAILED,
      score: numberOf(row['score']),
      scores: Object.fromEntries(Object.entries(scores).map(([name, { score }]) => [name, score])),
      tokens: numberOf(row['tokens']),
      cost: numberOf(row['cost']),
      latencyMs: numberOf(row['latency_ms']),
    };
  });
}

/**
 * What `GET /api/eval/:run_id/statistics` must say of a run without failed samples counted, by the rules of ADR 0046.
 * @param passScore at which the score of a sample, and that of each scorer, passes.
 */
export function recountedStatistics(samples: readonly SampleRow[], repeats: number, passScore = 1): object {
  const names = Object.keys(samples.find(({ failed }) => !failed)?.scores ?? {});
  const ofScorer = (name: string) =>
    scoreOf(
      samples.map(({ datapointId, scores }) => ({ datapointId, score: scores[name] ?? null })),
      repeats,
      passScore,
    );
  const costs = samples.flatMap(({ cost }) => cost ?? []);
  const latencies = samples.flatMap(({ latencyMs }) => latencyMs ?? []);
  return {
    repeats,
    failed_samples: samples.filter(({ failed }) => failed).length,
    tokens: sum(samples.map(({ tokens }) => tokens ?? 0)),
    score: scoreOf(samples, repeats, passScore),
    scorers: Object.fromEntries(names.map((name) => [name, ofScorer(name)])),
    cost: { count: costs.length, total: costs.length > 0 ? sum(costs) : null, mean: meanOf(costs) },
    latency_ms: { count: latencies.length, mean: meanOf(latencies), max: Math.max(...latencies) },
  };
}

function scoreOf(
  samples: readonly Pick<SampleRow, 'datapointId' | 'score'>[],
  repeats: number,
  passScore: number,
): object {
  const scored = samples.filter(({ score }) => score !== null);
  const byDatapoint = [...Map.groupBy(scored, ({ datapointId }) => datapointId).values()].map((of) =>
    of.map(({ score }) => score!),
  );
  const passes = byDatapoint.map((scores) => scores.map((score) => (score >= passScore ? 1 : 0)));
  const rates = passes.map((each) => meanOf(each)!);
  const tried = passes.filter((each) => each.length >= repeats);
  return {
    datapoints: byDatapoint.length,
    samples: scored.length,
    ...errorOf(byDatapoint.map((scores) => meanOf(scores)!)),
    min: Math.min(...scored.map(({ score }) => score!)),
    max: Math.max(...scored.map(({ score }) => score!)),
    pass_rate: errorOf(rates),
    flaky_datapoints: rates.filter((rate) => rate > 0 && rate < 1).length,
    always_passed: rates.filter((rate) => rate === 1).length,
    never_passed: rates.filter((rate) => rate === 0).length,
    min_datapoint_pass_rate: Math.min(...rates),
    // With as many tries as there are samples, the chance that one or that all pass is seen and not estimated.
    pass_k: expectedK(repeats).map((k) =>
      k === repeats
        ? {
            k,
            datapoints: tried.length,
            pass_at_k: meanOf(tried.map((each) => Math.max(...each))),
            pass_hat_k: meanOf(tried.map((each) => Math.min(...each))),
          }
        : { k },
    ),
  };
}

/** Powers of two up to the repeats, and the repeats. */
const expectedK = (repeats: number): number[] => [
  ...new Set([1, 2, 4, 8, 16, 32, 64].filter((k) => k <= repeats).concat(repeats)),
];

function errorOf(means: readonly number[]): object {
  const mean = meanOf(means);
  const n = means.length;
  if (mean === null || n < 2) return { mean, se: null };
  return { mean, se: Math.sqrt(sum(means.map((each) => (each - mean) ** 2)) / (n - 1) / n) };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
const meanOf = (numbers: readonly number[]): number | null =>
  numbers.length === 0 ? null : sum(numbers) / numbers.length;
