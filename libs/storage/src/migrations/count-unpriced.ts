const UNPRICED = 'cost is null and total_tokens > 0 and status <> 0';

/** Moves times behind zero, where dividing whole numbers rounds down: whole days, beyond the year 1. */
const SHIFT_MS = 120_960_000_000_000;

const startOf = (widthMs: number): string => `(started_at + ${SHIFT_MS}) / ${widthMs} * ${widthMs} - ${SHIFT_MS}`;

const HOUR = startOf(3_600_000);
const NAMES = {
  model: "coalesce('=' || model, '')",
  provider: "coalesce('=' || provider, '')",
  llm: "case when kind_type = 'llm_call' then 1 else 0 end",
};

/** The roll-ups of all time, of days, of hours, and of hours of all names together. */
const GRAINS = [
  { grain: 0, bucket: '0', ...NAMES },
  { grain: 1, bucket: startOf(86_400_000), ...NAMES },
  { grain: 2, bucket: HOUR, ...NAMES },
  { grain: 3, bucket: HOUR, model: "''", provider: "''", llm: '0' },
];

/**
 * Counts the spans and items with tokens and without a cost that are there already: in traces, in roll-ups of each grain,
 * in eval runs. Both databases take these statements as they are.
 */
export const COUNT_UNPRICED: readonly string[] = [
  `update trace set unpriced_count = counted.n from (
        select project_id, trace_id, count(*) as n from span where ${UNPRICED} group by project_id, trace_id) counted
      where counted.project_id = trace.project_id and counted.trace_id = trace.id`,
  ...GRAINS.map(
    ({ grain, bucket, model, provider, llm }) =>
      `update analytics_rollup set unpriced_count = counted.n from (
          select project_id, ${bucket} as bucket, ${model} as model, ${provider} as provider, status, ${llm} as llm,
            count(*) as n
          from span where ${UNPRICED} group by 1, 2, 3, 4, 5, 6) counted
        where analytics_rollup.grain = ${grain} and counted.project_id = analytics_rollup.project_id
          and counted.bucket = analytics_rollup.bucket and counted.model = analytics_rollup.model
          and counted.provider = analytics_rollup.provider and counted.status = analytics_rollup.status
          and counted.llm = analytics_rollup.llm`,
  ),
  `update eval_run set unpriced_count = counted.of_model, judge_unpriced_count = counted.of_judge from (
        select project_id, run_id,
          sum(case when tokens > 0 and cost is null then 1 else 0 end) as of_model,
          sum(case when judge_tokens > 0 and judge_cost is null then 1 else 0 end) as of_judge
        from eval_result where (tokens > 0 and cost is null) or (judge_tokens > 0 and judge_cost is null)
        group by project_id, run_id) counted
      where counted.project_id = eval_run.project_id and counted.run_id = eval_run.id`,
];
