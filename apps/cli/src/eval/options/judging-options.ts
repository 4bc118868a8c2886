import { describeGate, needsBaseline, parseGate, type Gate } from '@spandrel/sdk/eval';
import type { Command } from 'commander';
import { UsageFault } from '../../client/exit-codes.js';
import { collected } from '../../client/parameter-flags.js';
import type { JudgedBy } from '../judge-run.js';

/** Reads the value of an option. @throws UsageFault that names the option, for whatever `read` throws. */
export function readOption<Value>(name: string, text: string, read: (text: string) => Value): Value {
  try {
    return read(text);
  } catch (error) {
    throw new UsageFault(`${name}: ${(error as Error).message}`);
  }
}

/** Reads a number. @throws UsageFault */
export const readNumber = (name: string, text: string | undefined): number | undefined =>
  text === undefined
    ? undefined
    : readOption(name, text, () => {
        const number = Number(text);
        if (text.trim() === '' || !Number.isFinite(number)) throw new Error(`must be a number, not "${text}"`);
        return number;
      });

/** What commander gives of the options that divide a run by the metadata of its datapoints. */
export interface DivisionOptions {
  groupBy?: string[];
  clusterBy?: string;
}

export const addDivisionOptions = (command: Command): Command =>
  command
    .option(
      '--group-by <key>',
      "a member of the datapoints' metadata: the numbers of each of its values too; may come often, for combinations",
      collected,
    )
    .option('--cluster-by <key>', 'such a member: datapoints with the same value belong together');

export interface JudgingOptions extends DivisionOptions {
  threshold?: string[];
  baseline?: string;
  failOnRegression?: boolean;
  maxNewFailures?: string;
  alpha?: string;
  requireBaseline?: boolean;
  allowDifferentScoring?: boolean;
}

export interface Judging extends JudgedBy {
  /** To be kept with the run; those that compare still lack their `baseline_run_id`. */
  gates: readonly Gate[];
  /** `RUN`, or `latest` with metadata; as it was given. */
  baseline: string | undefined;
  /** Scores that the command itself compares: gates of the server know an alpha of 0.05 alone. */
  regressionsOf: readonly (string | null)[];
}

/** The alpha that gates are judged with (docs/spec/eval-gates.md#metrics). */
export const GATES_ALPHA = 0.05;

const MAX_NEW_FAILURES = '1%';

export const addJudgingOptions = (command: Command): Command =>
  addDivisionOptions(command)
    .option('--threshold <gate>', 'a gate, such as "pass_rate >= 90%" or "tone.mean > 0.8"; may come often', collected)
    .option('--baseline <run>', 'a run to compare with: its id, or latest, or latest:branch=main by metadata')
    .option(
      '--fail-on-regression',
      'a gate: the run must not be worse than the baseline, nor a group of --group-by, nor have more failed samples',
    )
    .option(
      '--max-new-failures <share>',
      `by how much the share of failed samples may rise then, if the rise is no significant one; ${MAX_NEW_FAILURES} when left out`,
    )
    .option('--require-baseline', 'ends with 10 when there is no run to compare with')
    .option('--allow-different-scoring', 'compare also with a run that was scored differently')
    .option('--alpha <number>', `how rare a difference must be by chance to count; ${GATES_ALPHA} when left out`);

/** @throws UsageFault for a gate that is none, and for options that need another one. */
export function readJudging(options: JudgingOptions): Judging {
  const { threshold = [], baseline, failOnRegression = false, alpha: alphaText, groupBy, clusterBy } = options;
  const { maxNewFailures: riseText, requireBaseline = false, allowDifferentScoring = false } = options;
  const alpha = alphaText === undefined ? GATES_ALPHA : readOption('--alpha', alphaText, readAlpha);
  const given = threshold.map((text) => readOption('--threshold', text, (each) => parseGate(each)));
  const comparing = given.findIndex((gate) => needsBaseline(gate));
  if (baseline === undefined) {
    if (comparing >= 0) throw new UsageFault(`--threshold "${threshold[comparing]!}": needs --baseline`);
    if (failOnRegression) throw new UsageFault('--fail-on-regression: needs --baseline');
    if (alphaText !== undefined) throw new UsageFault('--alpha: needs --baseline');
    if (requireBaseline) throw new UsageFault('--require-baseline: needs --baseline');
    if (allowDifferentScoring) throw new UsageFault('--allow-different-scoring: needs --baseline');
  }
  if (riseText !== undefined && !failOnRegression) {
    throw new UsageFault('--max-new-failures: needs --fail-on-regression');
  }
  const maxNewFailures = failOnRegression
    ? readOption('--max-new-failures', riseText ?? MAX_NEW_FAILURES, readRise)
    : undefined;
  const ofGroups = (groupBy ?? []).map((by): Gate => ({ metric: 'regression', by: by.replace(/^metadata\./, '') }));
  const regressions: Gate[] = failOnRegression
    ? [{ metric: 'regression', max_new_failures: maxNewFailures! }, ...ofGroups]
    : [];
  const wanted = [...given, ...regressions];
  const words = wanted.map(describeGate);
  // The last one of the same words: a plain "no regression" says less than the option.
  const gates = wanted
    .filter((_gate, index) => words.lastIndexOf(words[index]!) === index)
    .map((gate) => (clusterBy === undefined ? gate : { ...gate, cluster_by: clusterBy }));
  const rules = { baseline, alpha, groupBy, clusterBy, maxNewFailures, requireBaseline, allowDifferentScoring };
  if (alpha === GATES_ALPHA) return { ...rules, gates, regressionsOf: [] };
  if (gates.some(({ metric, group, by }) => metric === 'regression' && (group ?? by) !== undefined)) {
    throw new UsageFault(`--alpha: groups are judged by the server, which knows no other than ${GATES_ALPHA}`);
  }
  const isRegression = ({ metric }: Gate): boolean => metric === 'regression';
  return {
    ...rules,
    gates: gates.filter((gate) => !isRegression(gate)),
    regressionsOf: gates.filter(isRegression).map(({ scorer }) => scorer ?? null),
  };
}

function readAlpha(text: string): number {
  const alpha = Number(text);
  if (text.trim() === '' || !(alpha > 0 && alpha < 1)) throw new Error('must be a number between 0 and 1');
  return alpha;
}

/** A share or a percentage, as a gate on `new_failures` has it. */
function readRise(text: string): number {
  const { value } = parseGate(`new_failures <= ${text}`);
  if (value! < 0) throw new Error('must not be less than 0');
  return value!;
}

/** The gates with the run that they compare with. @param baselineRunId `undefined`: gates that compare are left out. */
export function gatesAgainst(
  { gates, allowDifferentScoring }: Pick<Judging, 'gates' | 'allowDifferentScoring'>,
  baselineRunId: string | undefined,
): Gate[] {
  const compared = {
    baseline_run_id: baselineRunId!,
    ...(allowDifferentScoring && { allow_different_scoring: true }),
  };
  return gates
    .filter((gate) => baselineRunId !== undefined || !needsBaseline(gate))
    .map((gate) => (needsBaseline(gate) ? { ...gate, ...compared } : gate));
}

export interface StatisticsOptions extends DivisionOptions {
  baseline?: string;
  alpha?: string;
  failedAs?: string;
  allowDifferentScoring?: boolean;
}

export const addStatisticsOptions = (command: Command): Command =>
  addDivisionOptions(command)
    .option('--alpha <number>', `how rare a difference must be by chance to count; ${GATES_ALPHA} when left out`)
    .option('--failed-as <zero|excluded>', 'zero: a failed sample counts as 0; excluded when left out')
    .option('--allow-different-scoring', 'compare also with a run that was scored differently');

/** What the server does not take it refuses. @throws UsageFault for an alpha that is no number. */
export const readStatisticsOptions = (options: StatisticsOptions) => ({
  baselineRunId: options.baseline,
  alpha: readNumber('--alpha', options.alpha) ?? GATES_ALPHA,
  clusterBy: options.clusterBy,
  groupBy: options.groupBy,
  failedAs: options.failedAs as 'excluded' | 'zero' | undefined,
  allowDifferentScoring: options.allowDifferentScoring,
});
