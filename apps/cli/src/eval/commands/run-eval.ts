import type { EvalFilter, EvalRunSummary, JudgedGate, RetryEval } from '@spandrel/contract';
import { formatCounted, formatInterval, formatScore, formatShare } from '@spandrel/contract/browser';
import { SpandrelError, type Api } from '@spandrel/sdk';
import {
  ciMetadata,
  DefinitionError,
  describeGate,
  explainMissingBaseline,
  findBaseline,
  nameRun,
  needsBaseline,
  readLatest,
  type AnyGate,
  type Gate,
} from '@spandrel/sdk/eval';
import { mayPass } from '@spandrel/sdk/api';
import { ulid } from 'ulid';
import type { ClientCall } from '../../client/client-command.js';
import { ExitCode, UsageFault } from '../../client/exit-codes.js';
import { oneLine } from '../../client/output/text.js';
import { readServer, createClient, findDataset, findConnection, findRun } from '../../client/server.js';
import { toExitCode, type JudgedBy, mergeExitCodes, readStatistics, VERDICTS } from '../judge-run.js';
import { progressOn, watchRun } from '../watch-run.js';
import {
  gatesAgainst,
  readJudging,
  readNumber,
  readStatisticsOptions,
  type Judging,
  type JudgingOptions,
  type StatisticsOptions,
} from '../options/judging-options.js';
import { readRunPlan, type RunOptions, type RunPlan } from '../options/run-options.js';
import { reportLines } from '../report-lines.js';
import { makeReport, scoreOf, type EvalReport } from '../reports/report-items.js';
import {
  tellGitHub,
  warnOfMissingBaseline,
  toDocument,
  readReports,
  writeReports,
  prepareReports,
  type ReportOption,
  type ReportOptions,
} from '../reports/reports.js';
import type { Column } from '../../client/output/table.js';
import { formatDollars, formatLatency } from '../words.js';

async function reportRun(
  { api, out, io, options }: ClientCall<object>,
  run: EvalRunSummary,
  by: JudgedBy,
  reports: readonly ReportOption[],
): Promise<EvalReport> {
  const report = await makeReport(api, run, by, readServer(options, io.env).url);
  await writeReports(api, reports, [report], false);
  if (io.signal.aborted) return report;
  if (out.json) await out.document(toDocument(report));
  else await out.lines(reportLines(report, out));
  return report;
}

/** Reports a run that was waited for, to GitHub too. @returns the exit code of the command. */
export async function finishRun(
  call: ClientCall<object>,
  ...about: [EvalRunSummary, JudgedBy, readonly ReportOption[]]
) {
  const report = await reportRun(call, ...about);
  // A document stands alone on its stream; GitHub's runner reads both.
  const { out, io } = call;
  tellGitHub([report], io.env, (text) => void (out.json ? io.stderr : io.stdout).write(text));
  return toExitCode(report.verdict);
}

/** Reports what is known of a run when the command is interrupted: to files and GitHub. */
async function reportInterrupted(call: ClientCall<object>, id: string, ...by: [JudgedBy, readonly ReportOption[]]) {
  const api = createClient(call.options, call.io, null);
  try {
    const run = await api.getEval({ path: { id }, query: { items: 'none' } });
    await finishRun({ ...call, api }, run, ...by);
  } catch (error) {
    call.out.note(`nothing is reported of the run ${id}: ${(error as Error).message}`);
  }
}

type RunEvalOptions = RunOptions & JudgingOptions & ReportOptions & { detach?: boolean };

/** How long a server may take to hear that a run is to be cancelled. */
const CANCEL_MS = 10_000;

/** `spandrel eval run`: starts a run on the server, watches it and judges it. */
export async function runEval(call: ClientCall<RunEvalOptions>): Promise<ExitCode> {
  const { api, out, io, options } = call;
  const judging = readJudging(options);
  const plan = readRunPlan(options);
  const reports = readReports(options);
  if (options.detach === true && reports.length > 0) {
    throw new UsageFault('--output: there is nothing to report with --detach; spandrel eval check RUN reports later');
  }
  if (options.detach === true && judging.regressionsOf.length > 0) {
    throw new UsageFault('--alpha: a run that is detached is judged by the server, which knows no other than 0.05');
  }
  prepareReports(reports);

  const dataset = await findDataset(api, plan.dataset);
  // Which runs were scored alike can be asked once this one is there.
  const isLatest = isLatestWanted(judging);
  let against = isLatest ? {} : await baselineFor(call, judging, dataset);
  plan.metadata = { ...ciMetadata(io.env), ...plan.metadata };
  const body = {
    ...(await startBody(api, plan, dataset.name, gatesAgainst(judging, against.baselineRunId))),
    baseline_run_id: against.baselineRunId,
  };
  const prepareJudging = async (run: EvalRunSummary): Promise<Pick<JudgedBy, 'baselineRunId' | 'skipped'>> => {
    await checkKeys(call, judging, run);
    if (!isLatest) return against;
    const found = await baselineFor(call, judging, dataset, run.id);
    await addComparingGates(call, judging, run, found.baselineRunId);
    return found;
  };
  if (plan.models.length > 1 || plan.prompts.length > 1) {
    const { models, prompts } = plan;
    return runMatrix(call, {
      ...{ datasetId: dataset.id, reports, isDetached: options.detach === true },
      body: {
        ...body,
        name: plan.name ?? [dataset.name, nameRun(plan.metadata)].join(', '),
        config: { ...body.config, ...(prompts.length > 0 && { system_prompt: null, messages: null }) },
        ...(models.length > 0 && { models }),
        ...(prompts.length > 0 && { prompts }),
      },
      judgedBy: async (run) => ({ ...(await prepareJudging(run)), ...judging }),
    });
  }
  let run: EvalRunSummary;
  try {
    const started = await api.startEval({ path: { id: dataset.id }, body });
    run = started;
    for (const { count, total } of started.warnings ?? []) {
      out.note(`warning: ${count} of ${formatCounted(total, 'datapoint')} without an expected value: not scored`);
    }
    against = await prepareJudging(run);
    if (options.detach === true) {
      if (out.json) await out.document(run);
      else await out.lines([run.id]);
      return judging.requireBaseline && against.skipped !== undefined ? ExitCode.gate : ExitCode.done;
    }
    run = await watched(call, run);
  } catch (error) {
    if (io.signal.aborted && options.detach !== true) {
      await cancel(call, body.id);
      await reportInterrupted(call, body.id, { ...against, ...judging }, reports);
    } else if (error instanceof SpandrelError && mayPass(error))
      out.note(`what becomes of the run ${body.id}: spandrel eval check ${body.id}`);
    throw error;
  }
  return finishRun(call, run, { ...against, ...judging }, reports);
}

const toUsageFault = (error: unknown): unknown =>
  error instanceof DefinitionError ? new UsageFault(`--baseline: ${error.message}`) : error;

/** @throws UsageFault for a text that is not as it should be, before anything is started. */
function isLatestWanted({ baseline }: Judging): boolean {
  try {
    return baseline !== undefined && readLatest(baseline) !== undefined;
  } catch (error) {
    throw toUsageFault(error);
  }
}

/** @returns the id of the run to compare with; where there is none, what is left out. Neither where none was asked for. */
async function baselineFor(
  { api, io }: ClientCall<object>,
  { baseline, allowDifferentScoring, gates, regressionsOf }: Judging,
  dataset: { id: string; name: string },
  except?: string,
): Promise<Pick<JudgedBy, 'baselineRunId' | 'skipped'>> {
  if (baseline === undefined) return {};
  const asked = /^latest(:|$)/.test(baseline.trim()) ? baseline : (await findRun(api, baseline, dataset.id)).id;
  const baselineRunId = await findBaseline(api, dataset.id, asked, { except, allowDifferentScoring }).catch(
    (error: unknown) => {
      throw toUsageFault(error);
    },
  );
  if (baselineRunId !== undefined) return { baselineRunId };
  const why = await explainMissingBaseline(api, dataset.id, baseline, { except });
  const hasGates = regressionsOf.length > 0 || gates.some(needsBaseline);
  return { skipped: warnOfMissingBaseline({ baseline, why, hasGates }, dataset.name, io) };
}

/** Cancels a run that cannot be grouped as asked: its calls would be paid for numbers that nobody gets. */
async function checkKeys(
  call: ClientCall<RunEvalOptions>,
  { groupBy, clusterBy, alpha }: Judging,
  run: EvalRunSummary,
): Promise<void> {
  if (groupBy === undefined && clusterBy === undefined) return;
  try {
    await readStatistics(call.api, run.id, { groupBy, clusterBy, alpha });
  } catch (error) {
    if (error instanceof SpandrelError && error.code === 'validation_failed') await cancel(call, run.id);
    throw error;
  }
}

/** Gates that compare, beside those that a run was started with. A run that cannot have them is not to go on without. */
async function addComparingGates(
  call: ClientCall<RunEvalOptions>,
  judging: Judging,
  run: EvalRunSummary,
  baselineRunId: string | undefined,
): Promise<void> {
  if (baselineRunId === undefined || !judging.gates.some(needsBaseline)) return;
  try {
    const body = { gates: gatesAgainst(judging, baselineRunId) };
    await call.api.setEvalGates({ path: { id: run.id }, body });
  } catch (error) {
    await cancel(call, run.id);
    throw error;
  }
}

export async function watched(
  { api, io }: ClientCall<object>,
  { id, name }: Pick<EvalRunSummary, 'id' | 'name'>,
): Promise<EvalRunSummary> {
  const progress = progressOn(io, name);
  try {
    return await watchRun(api, id, { signal: io.signal, onProgress: (now) => progress.show(now) });
  } finally {
    progress.end();
  }
}

async function startBody(api: Api, plan: RunPlan, datasetName: string, gates: Gate[]) {
  const { config, scoring, scorers, metadata } = plan;
  const connection = await findConnection(api, plan.connection);
  const judges: Record<string, string> = {};
  for (const name of new Set(scorers?.flatMap(({ judge }) => judge?.connection_id ?? []))) {
    judges[name] = (await findConnection(api, name)).id;
  }
  const model = config.model ?? connection.default_model;
  return {
    // Chosen here, so that a start whose answer is lost can be sent again, and its run cancelled.
    id: ulid(),
    name: plan.name ?? [datasetName, ...(model === null ? [] : [model]), nameRun(metadata)].join(', '),
    config: { ...config, connection_id: connection.id },
    scoring,
    scorers: scorers?.map(({ judge, ...scorer }) =>
      judge?.connection_id
        ? { ...scorer, judge: { ...judge, connection_id: judges[judge.connection_id]! } }
        : { ...scorer, judge },
    ),
    repeats: plan.repeats,
    pass_score: plan.passScore,
    pass_mode: plan.passMode,
    max_cost_usd: plan.maxCostUsd,
    allow_unscored: plan.allowUnscored,
    filter: plan.filter as EvalFilter,
    cache: plan.cache,
    cache_days: plan.cacheDays,
    gates,
    metadata,
  };
}

/** Cancels what was begun, by a client that the interrupt does not end. */
export async function cancel({ options, io, out }: ClientCall<object>, runId: string): Promise<void> {
  const api = createClient(options, io, null);
  try {
    await api.cancelEval({ path: { id: runId }, timeoutMs: CANCEL_MS });
    out.note(`the run ${runId} is cancelled; what it has is kept`);
  } catch (error) {
    // It may not have begun, or just have ended.
    if (error instanceof SpandrelError && ['eval_run_not_found', 'eval_run_not_running'].includes(error.code)) return;
    out.note(`the run ${runId} could not be cancelled (${(error as Error).message}); spandrel eval cancel ${runId}`);
  }
}

type CheckEvalOptions = JudgingOptions & ReportOptions;

/** `spandrel eval check`: waits for a run and judges it. An interrupt leaves it alone: somebody else began it. */
export async function checkEval(call: ClientCall<CheckEvalOptions>, runName: string): Promise<ExitCode> {
  const { api, options, io } = call;
  const judging = readJudging(options);
  const reports = readReports(options);
  prepareReports(reports);
  const { id, dataset_id: datasetId, name } = await findRun(api, runName);
  const dataset = await api.getDataset({ path: { id: datasetId } });
  const by = { ...(await baselineFor(call, judging, dataset, id)), ...judging };
  try {
    let run = await watched(call, { id, name });
    if (judging.gates.length > 0) {
      const gates = addGates(run.gates, gatesAgainst(judging, by.baselineRunId));
      run = await api.setEvalGates({ path: { id }, body: { gates } });
    }
    return await finishRun(call, run, by, reports);
  } catch (error) {
    if (io.signal.aborted) await reportInterrupted(call, id, by, reports);
    throw error;
  }
}

/** The gates of a run and further ones, each once; a further one may have other rules for its comparison. */
function addGates(known: readonly JudgedGate[], more: readonly Gate[]): Gate[] {
  const keyOf = (gate: AnyGate): string =>
    `${describeGate(gate)} ${gate.baseline_run_id ?? ''} ${gate.cluster_by ?? ''}`;
  const there = known.map(
    ({ actual: _actual, failing: _failing, reason: _reason, passed: _passed, ...gate }) => gate as AnyGate,
  );
  return [...new Map([...there, ...more].map((gate) => [keyOf(gate), gate])).values()] as Gate[];
}

type RetryEvalOptions = CheckEvalOptions & { what: string; maxCost?: string; detach?: boolean };

/** `spandrel eval retry`: has a run go on with some of its samples, waits for it and judges it. */
export async function retryEval(call: ClientCall<RetryEvalOptions>, runId: string): Promise<ExitCode> {
  const { api, out, options } = call;
  readJudging(options);
  const body = { what: options.what as RetryEval['what'], max_cost_usd: readNumber('--max-cost', options.maxCost) };
  const run = await api.retryEval({ path: { id: runId }, body });
  // The caller of an external run executes it.
  if (options.detach !== true && run.execution === 'server') return checkEval(call, runId);
  if (out.json) await out.document(run);
  else await out.lines([run.id]);
  return ExitCode.done;
}

/** `spandrel eval show`: a run as it is now. */
export async function showEval(call: ClientCall<StatisticsOptions & ReportOptions>, runName: string): Promise<void> {
  const { baselineRunId: baseline, ...by } = readStatisticsOptions(call.options);
  const reports = readReports(call.options);
  prepareReports(reports);
  const run = await findRun(call.api, runName);
  const baselineRunId = baseline === undefined ? undefined : (await findRun(call.api, baseline, run.dataset_id)).id;
  await reportRun(call, run, { baselineRunId, ...by }, reports);
}

/** `spandrel eval cancel`: no further sample of the run begins. */
export async function cancelEval({ api, out }: ClientCall<object>, runName: string): Promise<void> {
  const { id } = await findRun(api, runName);
  const run = await api.cancelEval({ path: { id } });
  if (out.json) return out.document(run);
  const { name, sample_progress: done, sample_total: total } = run;
  await out.lines([`Cancelled ${oneLine(name)} (${id}); ${done} of ${total} samples are processed.`]);
}

interface Together {
  datasetId: string;
  body: Parameters<Api['startEvalMatrix']>[0]['body'];
  reports: readonly ReportOption[];
  isDetached: boolean;
  /** What a run is judged by, once it is there. */
  judgedBy(run: EvalRunSummary): Promise<JudgedBy>;
}

/** Starts a run for each model with each prompt, waits for all of them and shows them as a table. @returns the exit code of the command. */
async function runMatrix(call: ClientCall<object>, together: Together): Promise<ExitCode> {
  const { api, out, io, options } = call;
  const { datasetId, body, reports } = together;
  const { group_id: groupId, runs } = await api.startEvalMatrix({ path: { id: datasetId }, body });
  const judged = new Map<EvalRunSummary, JudgedBy>();
  const made: EvalReport[] = [];
  try {
    for (const run of runs) judged.set(run, await together.judgedBy(run));
    if (together.isDetached) {
      if (out.json) await out.document({ group_id: groupId, runs });
      else await out.lines(runs.map(({ id }) => id));
      return ExitCode.done;
    }
    for (const [run, by] of judged) {
      const ended = await watched(call, run);
      made.push(await makeReport(api, ended, by, readServer(options, io.env).url));
    }
  } catch (error) {
    // Runs that cannot be judged as asked are not paid for.
    if (io.signal.aborted || judged.size < runs.length) await Promise.all(runs.map(({ id }) => cancel(call, id)));
    throw error;
  }
  const skipped = new Set(made.flatMap((report) => (report.skipped === undefined ? [] : `${report.skipped}.`)));
  await writeReports(api, reports, made, true);
  if (out.json) await out.document({ group_id: groupId, evals: made.map(toDocument) });
  else await out.lines([...skipped, ...out.table(COLUMNS).lines(made), '', `Group ${groupId}`]);
  tellGitHub(made, io.env, (text) => void (out.json ? io.stderr : io.stdout).write(text));
  return mergeExitCodes(made.map(({ verdict }) => toExitCode(verdict)));
}

const COLUMNS: readonly Column<EvalReport>[] = [
  { title: 'run', text: ({ run }) => run.id },
  { title: 'name', text: ({ run }) => oneLine(run.name), shrinks: true },
  { title: 'score', text: (report) => formatScore(scoreOf(report).mean), align: 'right' },
  { title: '95% interval', text: (report) => formatInterval(scoreOf(report).ci), leaveOut: 1 },
  { title: 'pass rate', text: (report) => formatShare(scoreOf(report).pass_rate.mean), align: 'right' },
  { title: 'cost', text: ({ run }) => formatDollars(run.total_cost), align: 'right' },
  { title: 'latency p50', text: ({ statistics }) => formatLatency(statistics.latency_ms.p50), align: 'right' },
  {
    title: 'came to',
    text: ({ verdict }) => VERDICTS[verdict].title,
    style: ({ verdict }) => VERDICTS[verdict].style,
  },
];
