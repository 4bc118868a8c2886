import { Inject, Injectable } from '@nestjs/common';
import {
  answerTextOf,
  EXTERNAL_RESULTS_MAX,
  EXTERNAL_SCORER,
  RECORDED,
  type ExternalResult,
  type Gate,
  type StartEval,
  type StartReplay,
} from '@spandrel/contract';
import { DatapointStore, ExportSpansToDataset, spansInSlices } from '@spandrel/datasets';
import { AddResults, CompleteRun, EvalRunStore, RUN_STATUS, StartRun } from '@spandrel/evals';
import { PLUGINS, type PluginRegistry, type Scope } from '@spandrel/kernel';
import { ProjectMasking } from '@spandrel/masking';
import { fromLongJsonText } from '@spandrel/storage';
import { SpanStore, type StoredSpan } from '@spandrel/tracing';
import { examineSpan } from './examine-span.js';
import type { ReplayRow } from './replay.entity.js';
import { planOf, REPLAY_STATUS, ReplayStore, requestOf, type ReplayPlan } from './replay.store.js';

/** How long a replay is left alone after the process that prepares it was last heard of. */
export const LEASE_MS = 60_000;

/** The end of a lease taken or renewed now. */
export const leaseUntil = (): number => Date.now() + LEASE_MS;

/** Makes all that a replay consists of, part by part: each is made once, however often it is begun. */
@Injectable()
export class PrepareReplay {
  constructor(
    private readonly replays: ReplayStore,
    private readonly spans: SpanStore,
    private readonly exports: ExportSpansToDataset,
    private readonly datapoints: DatapointStore,
    private readonly starts: StartRun,
    private readonly results: AddResults,
    private readonly completes: CompleteRun,
    private readonly runs: EvalRunStore,
    private readonly masking: ProjectMasking,
    @Inject(PLUGINS) private readonly plugins: Pick<PluginRegistry, 'scorers'>,
  ) {}

  /** Preparing → ready. @throws what stands in the way of a part. */
  async execute(scope: Scope, row: ReplayRow): Promise<void> {
    const plan = planOf(row);
    const request = requestOf(row);
    const labels = await this.masking.labels(scope);
    const make = async (span: StoredSpan) => {
      const examined = await examineSpan(span, labels);
      if (typeof examined !== 'string') return { kind: examined.kind };
      return { faults: [{ path: '', message: `is left out: ${examined}` }] };
    };
    const isFilled = (await this.datapoints.findOfSpans(scope, row.datasetId, plan.spanIds)).size > 0;
    // All datapoints become visible at once.
    if (!isFilled) await this.exports.execute(scope, row.datasetId, { span_ids: [...plan.spanIds] }, make);
    const judge = this.judgeOf(request, plan);
    const scoring = scoringOf(request);
    const recorded = this.withoutComparing(scoring);
    const { repeats, max_cost_usd: cap, metadata } = request;
    await this.starts.execute(scope, row.datasetId, {
      ...recorded,
      id: row.baselineRunId,
      name: `Recorded: ${row.name}`.slice(0, NAME_LENGTH),
      execution: 'external',
      config: { model: plan.recordedModel, ...judge },
      // What was recorded is paid for: the cap is for its judges.
      max_cost_usd: typeof cap === 'number' ? plan.cost.total + plan.cost.dearest + cap : null,
    });
    await this.addRecorded(scope, row, plan);
    await this.starts.execute(scope, row.datasetId, {
      ...scoring,
      id: row.runId,
      name: row.name,
      config: { ...configOf(request, plan), ...judge },
      repeats,
      baseline_run_id: row.baselineRunId,
      max_cost_usd: cap,
      gates: gatesOf(request, row),
      metadata: { ...metadata, replay_id: row.id },
    });
    await this.replays.change(scope, row.id, { status: REPLAY_STATUS.ready, leaseUntil: 0 });
  }

  /** What was recorded, as results of the baseline. */
  private async addRecorded(scope: Scope, row: ReplayRow, { spanIds }: ReplayPlan): Promise<void> {
    const run = await this.runs.get(scope, row.baselineRunId);
    if (run.status >= RUN_STATUS.completed || run.progress + run.unscored >= run.total) return;
    const datapoints = await this.datapoints.findOfSpans(scope, row.datasetId, spanIds);
    for await (const slice of spansInSlices(this.spans, scope, spanIds)) {
      const results: ExternalResult[] = [];
      for (const span of slice) {
        const id = datapoints.get(span.id);
        if (id !== undefined) results.push(await recordedResult(id, span));
      }
      for (let at = 0; at < results.length; at += EXTERNAL_RESULTS_MAX) {
        const some = { results: results.slice(at, at + EXTERNAL_RESULTS_MAX) };
        await this.results.execute(scope, row.baselineRunId, some);
      }
    }
    // Spans may have been deleted since: their datapoints have no result.
    const { status } = (await this.runs.find(scope, row.baselineRunId)) ?? run;
    if (status < RUN_STATUS.completed) await this.completes.execute(scope, row.baselineRunId);
  }

  /** The scoring without scorers that compare with a baseline, which what was recorded has none of. */
  private withoutComparing(scoring: ReturnType<typeof scoringOf>): ReturnType<typeof scoringOf> {
    const isComparing = (name: string | undefined): boolean =>
      this.plugins.scorers.some((plugin) => plugin.name === name && plugin.extension.needsBaseline === true);
    const scorers = scoring.scorers?.filter((scorer) => !isComparing(scorer.scoring));
    const { pass_score, pass_mode } = scoring;
    if (isComparing(scoring.scoring) || scorers?.length === 0) return { ...NOT_SCORED, pass_score, pass_mode };
    return { ...scoring, scorers };
  }

  /** One judge for both runs, where a scorer asks one: that of the replay, or else the model that is tried. */
  private judgeOf(request: StartReplay, { model }: ReplayPlan): Pick<NonNullable<StartEval['config']>, 'judge'> {
    const { change, judge, scorers, scoring } = request;
    const names = scorers?.map((scorer) => scorer.scoring) ?? [scoring];
    const asks = this.plugins.scorers.some(
      ({ name, extension }) => names.includes(name) && (extension.asksJudge || extension.embeds),
    );
    if (!asks && !judge) return {};
    const own = judge?.connection_id ?? undefined;
    return {
      judge: {
        ...judge,
        connection_id: own ?? change.connection_id,
        model: judge?.model ?? (own === undefined ? model : undefined),
      },
    };
  }
}

const NAME_LENGTH = 2_000;
const NOT_SCORED = { scoring: EXTERNAL_SCORER, scoring_config: undefined, scorers: undefined };

/** What both runs are scored by. */
const scoringOf = ({ scoring, scoring_config, scorers, pass_score, pass_mode }: StartReplay) =>
  ({ scoring, scoring_config, scorers, pass_score, pass_mode }) satisfies Partial<StartEval>;

/** The config of the run that is tried. */
function configOf({ change }: StartReplay, { model }: ReplayPlan) {
  const [changed] = Object.entries(change.system_prompt ?? {});
  return {
    connection_id: change.connection_id,
    model,
    recorded: true,
    ...change.parameters,
    ...(changed && {
      system_prompt_mode: changed[0] as 'replace' | 'prepend' | 'append',
      system_prompt: changed[1],
    }),
  };
}

const gatesOf = ({ gates }: StartReplay, { baselineRunId }: ReplayRow): Gate[] | null | undefined =>
  gates?.map((gate) => (gate.baseline_run_id === RECORDED ? { ...gate, baseline_run_id: baselineRunId } : gate));

async function recordedResult(datapointId: string, span: StoredSpan): Promise<ExternalResult> {
  return {
    datapoint_id: datapointId,
    output: answerTextOf(await fromLongJsonText(span.output)) ?? '',
    latency_ms: span.durationMs,
    input_tokens: span.inputTokens,
    output_tokens: span.outputTokens,
    cost: span.cost,
    trace_id: span.traceId,
    span_id: span.id,
  };
}
