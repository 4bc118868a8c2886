import type { EvalRunSummary, EvalStatistics, JudgedGate } from '@spandrel/contract';
import { judgeRegression } from '@spandrel/contract/browser';
import { SpandrelError, type Api } from '@spandrel/sdk';
import { describeGate } from '@spandrel/sdk/eval';
import { ExitCode } from '../client/exit-codes.js';
import type { Style } from '../client/output/table.js';
import { oneLine } from '../client/output/text.js';
import { formatActual } from './words.js';

/** What became of a run, by its exit code (docs/cli.md#exit-codes). */
export type Verdict = 'passed' | 'done' | 'empty' | 'failed' | 'gate' | 'regression' | 'stopped' | 'unfinished';

type Run = Pick<EvalRunSummary, 'status' | 'error' | 'sample_total'>;

/** @param gates those of the run, and what the command itself judged. */
export function decideVerdict({ status, error, sample_total: total }: Run, gates: readonly GateResult[]): Verdict {
  if (status === 'pending' || status === 'running') return 'unfinished';
  if (status === 'cancelled') return 'stopped';
  if (status === 'failed') return 'failed';
  if (total === 0) return 'empty';
  const broken = gates.filter(({ passed }) => passed !== true);
  if (broken.some(({ isRegression }) => !isRegression)) return 'gate';
  if (broken.length > 0) return 'regression';
  // A completed run has an error where not a single sample came to an end: bad weather, that nobody may take for a pass.
  if (error !== null) return 'failed';
  return gates.length === 0 ? 'done' : 'passed';
}

/** The exit code, and how a verdict reads and looks in headings. */
export const VERDICTS: Readonly<Record<Verdict, { code: ExitCode; title: string; style: Style }>> = {
  passed: { code: ExitCode.done, title: 'passed', style: 'green' },
  empty: { code: ExitCode.usage, title: 'done, nothing to evaluate', style: 'yellow' },
  // Nobody asked whether the numbers are good.
  done: { code: ExitCode.done, title: 'done, no gates', style: 'bold' },
  failed: { code: ExitCode.unforeseen, title: 'the run failed', style: 'red' },
  gate: { code: ExitCode.gate, title: 'a gate does not hold', style: 'red' },
  regression: { code: ExitCode.regression, title: 'worse than the baseline', style: 'red' },
  stopped: { code: ExitCode.stopped, title: 'stopped before its end', style: 'yellow' },
  unfinished: { code: ExitCode.done, title: 'not finished yet', style: 'yellow' },
};

/** The exit code by what became of a run; a command that does not wait has nothing to complain about. */
export const toExitCode = (verdict: Verdict): ExitCode => VERDICTS[verdict].code;

/** What is certain comes first: no better weather makes up for a gate that does not hold. */
const ORDER: readonly ExitCode[] = [
  ExitCode.gate,
  ExitCode.regression,
  ExitCode.usage,
  ExitCode.refused,
  ExitCode.unreachable,
  ExitCode.unforeseen,
  ExitCode.stopped,
];

/** The exit code of a command that waited for several. */
export const mergeExitCodes = (codes: readonly ExitCode[]): ExitCode =>
  ORDER.find((code) => codes.includes(code)) ?? ExitCode.done;

export interface GateResult {
  /** The words of the command line: `pass_hat_k@3 >= 0.8`. */
  text: string;
  /** What was found, in words; an en dash where there is no value. */
  found: string;
  /** `null` where the run did not come to its end. */
  passed: boolean | null;
  /** Whether it does not hold because the run is worse than its baseline. */
  isRegression: boolean;
}

/** The gates of a run, as the server judged them. */
export const gateResults = (gates: readonly JudgedGate[]): GateResult[] =>
  gates.map((gate) => ({
    text: describeGate(gate),
    found: withReason(formatActual(gate), gate.reason),
    passed: gate.passed,
    isRegression: gate.metric === 'regression' && gate.passed === false && gate.actual === 'worse',
  }));

const withReason = (found: string, reason: string | undefined): string =>
  reason === undefined ? found : `${found}: ${oneLine(reason)}`;

/** The gate "no regression" by a comparison. @param scorer `null`: the score of all together. */
export function regressionResult(
  comparison: NonNullable<EvalStatistics['comparison']>,
  scorer: string | null,
  { allowDifferentScoring, maxNewFailures }: Pick<JudgedBy, 'allowDifferentScoring' | 'maxNewFailures'> = {},
): GateResult {
  const rules = { allow_different_scoring: allowDifferentScoring, max_new_failures: maxNewFailures };
  const { actual, passed, reason } = judgeRegression(comparison, scorer, rules);
  const gate = describeGate({ metric: 'regression', ...(scorer !== null && { scorer }) });
  return {
    text: `${gate} (alpha ${comparison.alpha})`,
    found: withReason(formatActual({ metric: 'regression', actual }), reason),
    passed,
    isRegression: actual === 'worse',
  };
}

export interface Judgement {
  /** With the comparison, where there is a baseline. */
  statistics: EvalStatistics;
  baseline?: EvalRunSummary;
  /** What was left out for want of a baseline, as a sentence without its end. */
  skipped?: string;
  gates: readonly GateResult[];
  verdict: Verdict;
}

export interface JudgedBy {
  /** The run to compare with; that of the run's gates when left out. */
  baselineRunId?: string | undefined;
  alpha: number;
  /** Scores whose regression counts beside the gates of the run, by scorer; `null` for that of all together. */
  regressionsOf?: readonly (string | null)[];
  clusterBy?: string | undefined;
  groupBy?: string[] | undefined;
  failedAs?: 'excluded' | 'zero' | undefined;
  allowDifferentScoring?: boolean | undefined;
  /** By how much the share of failed samples may rise; left out: failures do not count. */
  maxNewFailures?: number | undefined;
  /** What was left out since there is no run to compare with, as a sentence; and whether there must be one. */
  skipped?: string | undefined;
  requireBaseline?: boolean | undefined;
}

/** The numbers of a run, beside its baseline where there is one. */
export const readStatistics = (api: Api, id: string, by: JudgedBy): Promise<EvalStatistics> =>
  api.getEvalStatistics({
    path: { id },
    query: {
      ...(by.baselineRunId !== undefined && { baseline: by.baselineRunId, alpha: by.alpha }),
      cluster_by: by.clusterBy,
      group_by: by.groupBy,
      failed_as: by.failedAs,
      allow_different_scoring: by.allowDifferentScoring,
    },
  });

export async function judgeRun(api: Api, run: EvalRunSummary, by: JudgedBy): Promise<Judgement> {
  const ofGates = run.gates.find(({ baseline_run_id: id }) => id !== null)?.baseline_run_id ?? undefined;
  const baselineRunId = by.baselineRunId ?? ofGates;
  const baseline = baselineRunId === undefined ? undefined : await findBaselineRun(api, baselineRunId, by);
  const statistics = await readStatistics(api, run.id, { ...by, baselineRunId: baseline?.id });
  const { comparison } = statistics;
  const looksFor = run.status === 'completed' && comparison !== null ? (by.regressionsOf ?? []) : [];
  const ofCommand = looksFor.map((scorer) => regressionResult(comparison!, scorer, by));
  const isLacking = by.requireBaseline === true && by.skipped !== undefined;
  const required = { text: 'a baseline', found: 'none', passed: false, isRegression: false };
  const gates = [...gateResults(run.gates), ...ofCommand, ...(isLacking ? [required] : [])];
  return {
    statistics,
    ...(baseline && { baseline }),
    ...(by.skipped !== undefined && { skipped: by.skipped }),
    gates,
    verdict: decideVerdict(run, gates),
  };
}

/** A baseline that a gate names may have been deleted since; one that was asked for is to be there. */
async function findBaselineRun(api: Api, id: string, { baselineRunId }: JudgedBy): Promise<EvalRunSummary | undefined> {
  try {
    return await api.getEval({ path: { id }, query: { items: 'none' } });
  } catch (error) {
    if (baselineRunId === undefined && error instanceof SpandrelError && error.status === 404) return undefined;
    throw error;
  }
}
