import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import {
  isStorableText,
  type Comparable,
  type ListEvalRuns,
  type RunDifference,
  type RunScorer,
} from '@spandrel/contract';
import { invalidRequest, PLUGINS, type PluginRegistry, type Scope } from '@spandrel/kernel';
import { fromJsonText, type Page } from '@spandrel/storage';
import { EvalResultStore } from '../eval-result.store.js';
import type { EvalRunRow } from '../eval-run.entity.js';
import { evalRunNotFound, findJudge, listScorers, runConfig, runSummary, RUN_STATUS } from '../eval-run.js';
import { EvalRunStore } from '../eval-run.store.js';
import { isSame } from './distributions.js';

/** Hashes of the prompts that judges of a run were asked with, by scorer; `null` where a judge was asked and none is known. */
export type JudgePrompts = ReadonlyMap<string, string | null>;

/** Scorers whose scores compare a run with its baseline already: those of the baseline do not matter. */
export interface Comparing {
  names: ReadonlySet<string>;
  /** Whether the score of the run is that of one of them. */
  isAlone: boolean;
}

/** Members of a run or a scorer by their path. */
type Facts = Readonly<Record<string, unknown>>;

/**
 * Finds where two runs were scored differently (docs/spec/eval-statistics.md#runs-that-were-scored-differently).
 * @param asksJudge whether a scorer asks a judge, whose model, connection, temperature and prompt count then.
 * @param prompts those of the run and of the baseline, as far as they are known.
 */
export function compareScoring(
  run: EvalRunRow,
  baseline: EvalRunRow,
  asksJudge: (scorer: RunScorer) => boolean,
  [prompts, promptsBefore]: readonly [JudgePrompts, JudgePrompts] = [new Map(), new Map()],
): Comparable {
  const ofRun = listScorers(run);
  const before = new Map(listScorers(baseline).map((scorer) => [scorer.name, scorer]));
  const isOneRule = hasOneRule(run) && hasOneRule(baseline);
  const differences = differencesOf('', scoringFacts(run, isOneRule), scoringFacts(baseline, isOneRule));
  const isPassAlike = differences.every(({ what }) => what === 'scorers');
  const [shares, sharesBefore] = [weightShares(ofRun), weightShares([...before.values()])];
  const scorers: [string, boolean][] = [];
  for (const scorer of ofRun) {
    const { name } = scorer;
    const other = before.get(name);
    if (other === undefined) continue;
    const asks = asksJudge(scorer) || asksJudge(other) || prompts.has(name) || promptsBefore.has(name);
    const facts = scorerFacts(scorer, run, asks);
    const found = differencesOf(`scorers.${name}.`, facts, scorerFacts(other, baseline, asks));
    const alike = withPrompts(found, name, prompts.get(name), promptsBefore.get(name));
    scorers.push([name, alike.length === 0]);
    const isWeighedAlike = scorer.weight === other.weight || isSame(shares.get(name) ?? 0, sharesBefore.get(name) ?? 0);
    const weight = { what: `scorers.${name}.weight`, run: scorer.weight, baseline: other.weight };
    differences.push(...alike, ...(isWeighedAlike ? [] : [weight]));
  }
  const alike = Object.fromEntries(scorers);
  const isWeightedAlike = [...shares].every(
    ([name, share]) => isSame(share, sharesBefore.get(name) ?? 0) && alike[name] === true,
  );
  return { score: isPassAlike && shares.size === sharesBefore.size && isWeightedAlike, scorers: alike, differences };
}

/**
 * In what two runs differ beside their scoring: model, prompt, parameters, and the datapoints that they took
 * (docs/spec/comparison.md#what-differs-between-runs).
 */
export function compareConfigs(run: EvalRunRow, baseline: EvalRunRow): RunDifference[] {
  return [
    ...differencesOf('config.', configFacts(run), configFacts(baseline)),
    ...differencesOf('', startFacts(run), startFacts(baseline)),
  ];
}

function configFacts(run: EvalRunRow): Facts {
  const { judge: _judge, trace: _trace, ...facts } = runConfig(run);
  return facts;
}

function startFacts(run: EvalRunRow): Facts {
  const { execution, repeats, dataset_version, filter, cache } = runSummary(run);
  return { execution, repeats, dataset_version, filter, cache };
}

/** Both modes of passing are one rule where one scorer counts, and passes at the score of the run. */
function hasOneRule(run: EvalRunRow): boolean {
  const [only, ...more] = listScorers(run).filter(({ weight }) => weight > 0);
  return more.length === 0 && only?.pass_score === run.passScore;
}

function scoringFacts(run: EvalRunRow, isOneRule: boolean): Facts {
  const { scorers, pass_score, pass_mode } = runSummary(run);
  return { scorers: scorers.map(({ name }) => name).toSorted(), pass_score, ...(!isOneRule && { pass_mode }) };
}

function scorerFacts(scorer: RunScorer, run: EvalRunRow, asksJudge: boolean): Facts {
  const { scoring, scoring_config: config, pass_score } = scorer;
  const facts = { scoring, scoring_config: Object.keys(config ?? {}).length === 0 ? null : config, pass_score };
  if (!asksJudge) return facts;
  const { connection_id, model, rubric, temperature } = findJudge(scorer, runConfig(run));
  return {
    ...facts,
    'judge.connection_id': connection_id,
    'judge.model': model,
    'judge.rubric': rubric || null,
    // Left out it is 0; `null`: none is sent.
    'judge.temperature': temperature === undefined ? 0 : temperature,
  };
}

function differencesOf(at: string, run: Facts, baseline: Facts): RunDifference[] {
  return [...new Set([...Object.keys(run), ...Object.keys(baseline)])]
    .map((what) => ({ what: `${at}${what}`, run: run[what] ?? null, baseline: baseline[what] ?? null }))
    .filter((found) => !isDeepStrictEqual(found.run, found.baseline)) as RunDifference[];
}

/** The hash has the rubric in it that is in effect, and the text around it, which another version may have changed. */
function withPrompts(
  found: RunDifference[],
  name: string,
  run: string | null | undefined,
  baseline: string | null | undefined,
): RunDifference[] {
  if (!run || !baseline) return found;
  const isRubric = ({ what }: RunDifference): boolean => what === `scorers.${name}.judge.rubric`;
  if (run === baseline) return found.filter((each) => !isRubric(each));
  return found.some(isRubric) ? found : [...found, { what: `scorers.${name}.judge.prompt_hash`, run, baseline }];
}

/** How much each scorer that counts does so, all of them 1. */
function weightShares(scorers: readonly RunScorer[]): Map<string, number> {
  const weighted = scorers.filter(({ weight }) => weight > 0);
  const sum = weighted.reduce((total, { weight }) => total + weight, 0);
  return new Map(weighted.map(({ name, weight }) => [name, weight / sum]));
}

/** Says which runs were scored alike, and finds runs that another one can be compared with. */
@Injectable()
export class CompareScoring {
  constructor(
    private readonly runs: EvalRunStore,
    private readonly results: EvalResultStore,
    @Inject(PLUGINS) private readonly plugins: Pick<PluginRegistry, 'scorers'>,
  ) {}

  /** Where two runs were scored differently: by what they were started with, and by what their judges were asked. */
  async execute(scope: Scope, run: EvalRunRow, baseline: EvalRunRow): Promise<Comparable> {
    const prompts = [await this.readPrompts(scope, run), await this.readPrompts(scope, baseline)] as const;
    const found = compareScoring(run, baseline, this.asksJudge, prompts);
    const { names, isAlone } = this.listComparing(run, baseline);
    if (names.size === 0) return found;
    const scorers = { ...found.scorers, ...Object.fromEntries([...names].map((name) => [name, true])) };
    return isAlone ? { score: true, scorers, differences: [] } : { ...found, scorers };
  }

  /** Whether a scorer compares outputs with the answers of the baseline of its run. */
  readonly isComparing = ({ scoring }: RunScorer): boolean =>
    this.plugins.scorers.some(({ name, extension }) => name === scoring && extension.needsBaseline === true);

  /** The scorers of a run whose scores themselves say how it compares with this baseline. */
  listComparing(run: EvalRunRow, baseline: EvalRunRow): Comparing {
    const scorers = run.baselineRunId === baseline.id ? listScorers(run) : [];
    const counting = scorers.filter(({ weight }) => weight > 0);
    const names = new Set(scorers.filter(this.isComparing).map(({ name }) => name));
    return { names, isAlone: counting.length === 1 && names.has(counting[0]!.name) };
  }

  /**
   * Runs that a run can be compared with, newest first: completed ones of its dataset with the same `execution`, scored alike, not
   * all of whose samples failed.
   * @param id of the run. @param isAnyScoring whether runs that were scored differently count too.
   * @throws NotFound for the run; Invalid for one of another dataset, and for a cursor.
   */
  async listBaselines(
    scope: Scope,
    datasetId: string,
    { id, isAnyScoring }: { id: string; isAnyScoring: boolean },
    filters: ListEvalRuns,
  ): Promise<Page<EvalRunRow>> {
    const run = isStorableText(id) ? await this.runs.find(scope, id) : null;
    if (!run) throw evalRunNotFound();
    if (run.datasetId !== datasetId) {
      throw invalidRequest([{ path: 'baseline_for', message: 'must be a run of this dataset' }], 'the query');
    }
    const isAlike = (other: EvalRunRow): boolean => {
      const { score, scorers } = compareScoring(run, other, this.asksJudge);
      return score && Object.values(scorers).every(Boolean);
    };
    return this.runs.list(
      scope,
      { status: 'completed', ...filters, dataset_id: datasetId },
      (other) =>
        other.id !== run.id &&
        other.status === RUN_STATUS.completed &&
        other.execution === run.execution &&
        (run.groupId === null || other.groupId !== run.groupId) &&
        other.failedSamples < other.sampleProgress &&
        (isAnyScoring || isAlike(other)),
    );
  }

  private readonly asksJudge = ({ scoring, judge }: RunScorer): boolean =>
    judge !== null || this.plugins.scorers.some(({ name, extension }) => name === scoring && extension.asksJudge);

  /** By the first item that a judge has seen: the prompt of a scorer is one for the whole run. */
  private async readPrompts(scope: Scope, run: EvalRunRow): Promise<JudgePrompts> {
    const scorers = listScorers(run);
    if (run.judgeTokens === 0 && !scorers.some(this.asksJudge)) return new Map();
    const item = await this.results.firstJudged(scope, run.id);
    if (!item) return new Map();
    const own = { judge_model: item.judgeModel, judge_prompt_hash: item.judgePromptHash };
    const said = fromJsonText(item.scores) as Record<string, typeof own> | null;
    return new Map(
      scorers.flatMap(({ name }): [string, string | null][] => {
        const { judge_model: model = null, judge_prompt_hash: hash = null } = (said ? said[name] : own) ?? {};
        return model === null ? [] : [[name, hash]];
      }),
    );
  }
}
