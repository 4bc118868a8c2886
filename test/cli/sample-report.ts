import type {
  EvalItem,
  EvalRunSummary,
  EvalStatistics,
  RunScorer,
  ScoreComparison,
  ScoreStatistics,
} from '@spandrel/contract';
import type { EvalReport } from '../../apps/cli/src/eval/reports/report-items.js';

/** A report for specs: three datapoints tried twice, of which one passes, one is flaky and one fails altogether. */
export function sampleReport(changes: Partial<EvalReport> = {}): EvalReport {
  return {
    dataset: { id: 'D1', name: 'capitals.eu' },
    run: sampleRun(),
    statistics: sampleStatistics(),
    baseline: sampleRun({ id: 'R0', name: 'main 3f2c1ab' }),
    gates: [
      { text: 'mean >= 0.9', found: '0.75', passed: false, isRegression: false },
      { text: 'no regression', found: 'no difference', passed: true, isRegression: false },
    ],
    verdict: 'gate',
    items: [
      sampleItem('P1', { input: 'Capital of France?', expected: 'Paris', output: 'Paris', score: 1, samples: [1, 1] }),
      sampleItem('P2', {
        input: [{ role: 'user', content: 'Capital | of `Kenya`?\n::error::no command' }],
        ...{ expected: 'Nairobi', output: '<b>Mombasa</b> & \u001b[31mred\u001b[0m\u0007', score: 0.5 },
        score_reason: '@everybody: **almost**',
        samples: [1, 0],
      }),
      sampleItem('P3', {
        input: 'Capital of Peru?',
        status: 'failed',
        error: '429 Too Many Requests',
        samples: [null, null],
      }),
    ],
    url: 'http://127.0.0.1:3000/evaluations/R1',
    ...changes,
  };
}

export const sampleScorer = (name: string, changes: Partial<RunScorer> = {}): RunScorer => ({
  ...{ name, scoring: name, scoring_config: null, judge: null, weight: 1, pass_score: 1 },
  ...changes,
});

/** A run that was completed. */
export const sampleRun = (changes: Partial<EvalRunSummary> = {}): EvalRunSummary => ({
  ...{ id: 'R1', dataset_id: 'D1', dataset_version: 4, name: 'capitals, gpt-5.1', status: 'completed' },
  ...{ progress: 3, total: 3, execution: 'server', repeats: 2, sample_progress: 6, sample_total: 6, failed_samples: 2 },
  config: {
    ...{ connection_id: 'C1', model: 'gpt-5.1', system_prompt: null, temperature: null, max_tokens: null },
    ...{ trace: false, judge: null },
  },
  ...{ scoring: 'Contains', scoring_config: null, pass_score: 1, baseline_run_id: null, max_cost_usd: null },
  scorers: [sampleScorer('Contains')],
  ...{ pass_mode: 'all', filter: null, cache: null, cache_days: null, reused_samples: 0, group_id: null },
  ...{ retried_samples: 0, retried_cost: null },
  metadata: { branch: 'prompt-7' },
  ...{ gates: [], passed: false, stop_reason: null, avg_score: 0.75, score_se: 0.25, score_ci: null },
  ...{ pass_rate: null, latency_ms: null, sample_cost: null, scorer_scores: null },
  ...{ total_cost: 0.0123, call_cost: 0.0123, unpriced_count: 0, total_tokens: 120, failed_count: 1 },
  ...{ judge_tokens: 0, judge_cost: null, judge_unpriced_count: 0, error: null },
  created_at: '2026-11-20T09:00:00.000Z',
  started_at: '2026-11-20T09:00:01.500Z',
  ended_at: '2026-11-20T09:00:13.750Z',
  ...changes,
});

const ci = { low: 0.2, high: 1, level: 0.95, method: 't' } as const;

const score: ScoreStatistics = {
  ...{ datapoints: 2, samples: 4, clusters: 2, mean: 0.75, se: 0.25, ci, within_sd: 0.5, min: 0, max: 1 },
  pass_rate: { mean: 0.75, se: 0.25, ci },
  pass_k: [
    { k: 1, datapoints: 2, pass_at_k: 0.75, pass_at_k_se: 0.25, pass_hat_k: 0.75, pass_hat_k_se: 0.25 },
    { k: 2, datapoints: 2, pass_at_k: 1, pass_at_k_se: null, pass_hat_k: 0.5, pass_hat_k_se: 0.5 },
  ],
  ...{ flaky_datapoints: 1, always_passed: 1, never_passed: 0, min_datapoint_pass_rate: 0.5 },
};

/** Statistics with a comparison that shows no difference. */
export function sampleStatistics(changes: Partial<EvalStatistics> = {}): EvalStatistics {
  const difference: ScoreComparison = {
    ...{ pairs: 2, clusters: 2, diff: -0.125, se: 0.1, ci: { ...ci, low: -0.4, high: 0.15 } },
    ...{
      better: 0,
      worse: 1,
      same: 1,
      test: 'paired_t',
      p_value: 0.2,
      verdict: 'no_difference',
      detectable_diff: 0.28,
    },
  };
  const amount = {
    pairs: 2,
    clusters: 2,
    diff: 120.4,
    se: 30,
    ci: { ...ci, low: -261, high: 502 },
    test: 'paired_t',
    p_value: 0.16,
  } as const;
  return {
    ...{ run_id: 'R1', status: 'completed', repeats: 2, datapoints: 3, samples: 6, failed_samples: 2 },
    ...{
      reused_samples: 0,
      pending_samples: 0,
      pass_score: 1,
      failed_as: 'excluded',
      cluster_by: null,
      score,
      scorers: { Contains: score },
    },
    latency_ms: { count: 4, mean: 600, ci: null, p50: 420, p95: 1490, max: 1500 },
    cost: { count: 4, mean: 0.003, ci: null, p50: 0.003, p95: 0.004, max: 0.004, total: 0.0123 },
    ...{ call_cost: 0.0123, judge_cost: null, tokens: 120 },
    comparison: {
      ...{ baseline_run_id: 'R0', alpha: 0.05, pairs: 2, changed: 1, unpaired_run: 0, unpaired_baseline: 0 },
      comparable: { score: true, scorers: { Contains: true }, differences: [] },
      differences: [],
      score: difference,
      scorers: { Contains: difference },
      failures: {
        ...{ pairs: 6, run: 2, baseline: 2, new: 0, recovered: 0, diff: 0, test: 'mcnemar_exact', p_value: 1 },
        verdict: 'no_difference',
      },
      latency_ms: { ...amount, baseline_mean: 600 },
      cost: { ...amount, diff: null, se: null, ci: null, test: null, p_value: null, baseline_mean: null },
      summary: 'No difference shown.',
    },
    ...changes,
  };
}

/** An item. @param samples scores of its samples, which pass at 1; one alone stands for a run without repeats. */
export function sampleItem(
  id: string,
  { samples = [1], ...members }: Partial<Omit<EvalItem, 'samples'>> & { samples?: (number | null)[] },
): EvalItem {
  const passedOf = (score: number | null): boolean | null => (score === null ? null : score >= 1);
  const [first = null] = samples;
  const item = {
    ...{ datapoint_id: id, input: id, expected: null, output: null, score: first, score_reason: null },
    ...{ passed: passedOf(first), scores: {}, latency_ms: 420, tokens: 20, cost: 0.003, error: null, attempts: 1 },
    ...{ status: 'completed' as const, judge_model: null, judge_prompt_hash: null, judge_attempts: null },
    ...{
      judge_tokens: null,
      judge_cost: null,
      trace_id: null,
      span_id: null,
      metadata: null,
      reused: false,
      reused_run_id: null,
    },
    ...members,
  };
  const {
    datapoint_id: _id,
    input: _input,
    expected: _expected,
    former_attempts: _former,
    kind: _kind,
    ...sample
  } = item as EvalItem;
  return {
    ...item,
    samples:
      samples.length === 1
        ? null
        : samples.map((score, repeat) => ({ ...sample, repeat, score, passed: passedOf(score) })),
  };
}
