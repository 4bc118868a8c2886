import { Injectable } from '@nestjs/common';
import {
  getOrMake,
  GROUP_VALUE_LENGTH_MAX,
  GROUPS_MAX,
  isCostMetric,
  isStorableText,
  type EvalMetadata,
  type EvalStatistics,
  type EvalStatisticsQuery,
  type FailedAs,
  type FieldError,
  type Gate,
  type JudgedGate,
  type RunMeasures,
  type ScorerResult,
  type ScoreStatistics,
} from '@spandrel/contract';
import { DatasetSnapshots, type Snapshot } from '@spandrel/datasets';
import { invalidRequest, NotFound, type Scope, nearestName } from '@spandrel/kernel';
import type { EvalRunRow } from '../eval-run.entity.js';
import { addCosts } from '../execution/sample-result.js';
import { listScorers, readGates, runSummary, snapshotOf, totalCost, RESULT_STATUS } from '../eval-run.js';
import { EvalRunStore } from '../eval-run.store.js';
import { readPassRule } from '../eval-item.js';
import { compareConfigs, CompareScoring } from './compare-scoring.js';
import { compareWithBaseline, indexDatapoints, type RunComparison } from './comparison.js';
import { loadDistributions } from './distributions.js';
import { groupKeyOf, judgeGate, listDivisions, listKs } from './gates.js';
import { correctComparisons, groupResource, type MeasuredGroup } from './groups.js';
import { clusterKey, clusterValue, RunSamples, type DatapointMeasures, type SampleMeasures } from './run-samples.js';
import { defaultKs, measuresOf, runStatistics, type RunStatistics } from './run-statistics.js';
import { SampleScoresStore, readScores, type SampleScoresRow } from './sample-scores.store.js';

/** Keys that are kept beside those that were asked for. */
const KEYS_MAX = 100;

type GroupValue = NonNullable<Gate['group']>['value'];

interface Fault {
  member: string;
  message: string;
}

interface KnownKey {
  datapoints: number;
  /** The values by the keys that `clusterKey` makes of them. */
  values: Map<string, unknown>;
  hasMore: boolean;
}

/** The members that the metadata of datapoints have, with their values as far as groups can be made of them. */
export class MetadataKeys {
  private readonly known = new Map<string, KnownKey>();
  datapoints = 0;

  /** @param wanted keys that are kept, however many others there are. */
  constructor(private readonly wanted: readonly string[] = []) {}

  add(metadata: unknown): void {
    this.datapoints++;
    if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return;
    for (const key of Object.keys(metadata)) {
      const text = clusterKey(metadata, key);
      if (text === undefined) continue;
      if (!this.known.has(key) && this.known.size >= KEYS_MAX && !this.wanted.includes(key)) continue;
      const known = getOrMake(this.known, key, () => ({ datapoints: 0, values: new Map(), hasMore: false }));
      known.datapoints++;
      if (known.values.has(text)) continue;
      const isTaken = known.values.size < GROUPS_MAX && text.length <= GROUP_VALUE_LENGTH_MAX;
      if (isTaken) known.values.set(text, clusterValue(text));
      else known.hasMore = true;
    }
  }

  has(key: string): boolean {
    return this.known.has(key);
  }

  /** Says that no datapoint has a member, and which there are. */
  describeMissing(key: string): string {
    return `names ${JSON.stringify(key)}, which no datapoint has in its metadata; ${describeNames(key, [...this.known.keys()])}`;
  }

  /** A gate with the key and the value of its group as the datapoints have them, and what is wrong with what it names. */
  resolve(asked: Gate, scorers: readonly string[]): { gate: Gate; faults: Fault[] } {
    const gate = this.withNamedGroup(asked, scorers);
    const faults: Fault[] = [];
    for (const member of ['by', 'cluster_by'] as const) {
      const key = gate[member] ?? undefined;
      if (key === undefined) continue;
      if (!this.has(key)) faults.push({ member, message: this.describeMissing(key) });
      else if (member === 'by' && this.hasTooMany(key)) {
        faults.push({ member, message: `names ${key}, which has more than ${GROUPS_MAX} values, or too long ones` });
      }
    }
    if (!gate.group) return { gate, faults };
    const group = this.findGroup(gate.group.key ?? undefined, gate.group.value);
    return 'message' in group ? { gate, faults: [...faults, group] } : { gate: { ...gate, group }, faults };
  }

  /** Whether there are more groups by a key than a run is divided into; datapoints without it are one. */
  private hasTooMany(key: string): boolean {
    const { values, hasMore, datapoints } = this.known.get(key)!;
    return hasMore || (values.size === GROUPS_MAX && datapoints < this.datapoints);
  }

  /** A gate on `legal` or `legal.tone` is of the group `legal` where no scorer is named so. */
  private withNamedGroup(gate: Gate, scorers: readonly string[]): Gate {
    if (!namesGroup(gate, scorers)) return gate;
    const name = gate.scorer!;
    const scorer = scorers.filter((each) => name.endsWith(`.${each}`)).toSorted((a, b) => b.length - a.length)[0];
    const value = scorer === undefined ? name : name.slice(0, -scorer.length - 1);
    const isKnown = this.known.keys().some((key) => this.findValue(key, value) !== undefined);
    return isKnown ? { ...gate, scorer, group: { value } } : gate;
  }

  private findGroup(key: string | undefined, value: GroupValue): { key: string; value: GroupValue } | Fault {
    if (key !== undefined && !this.has(key)) return { member: 'group.key', message: this.describeMissing(key) };
    if (value === null)
      return key === undefined ? { member: 'group.key', message: 'is required by null' } : { key, value };
    const keys = key === undefined ? [...this.known.keys()] : [key];
    const found = keys.flatMap((each) => {
      const same = this.findValue(each, value);
      return same === undefined ? [] : [{ key: each, value: same }];
    });
    if (found.length === 1) return found[0]!;
    const shown = JSON.stringify(value);
    if (found.length > 1) {
      const which = found.map((each) => each.key).join(', ');
      return { member: 'group.key', message: `is required, since ${which} have the value ${shown}` };
    }
    const where = key === undefined ? 'in its metadata' : `as ${key} in its metadata`;
    const texts = keys.flatMap((each) => [...this.known.get(each)!.values.values()].map(String));
    return {
      member: 'group.value',
      message: `is ${shown}, which no datapoint has ${where}; ${describeNames(String(value), texts)}`,
    };
  }

  /** A value that is the same, or that a text says: `3` of a command line is also the number 3. */
  private findValue(key: string, value: GroupValue): GroupValue | undefined {
    const values = [...this.known.get(key)!.values.values()] as GroupValue[];
    return values.find((each) => each === value) ?? values.find((each) => String(each) === value);
  }

  toAnswer(): EvalMetadata {
    const keys = this.known.entries().map(([key, { datapoints, values, hasMore }]) => ({
      ...{ key, datapoints, values: [...values.values()], has_more: hasMore },
    }));
    return { keys: [...keys] };
  }
}

const SHOWN_MAX = 10;

function describeNames(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'there is none';
  const nearest = nearestName(name, known);
  const more = known.length > SHOWN_MAX ? ', …' : '';
  return `there are ${known.slice(0, SHOWN_MAX).join(', ')}${more}${nearest === undefined ? '' : ` (${nearest}?)`}`;
}

/** Reads what the metadata of a snapshot's datapoints have, for groups and clusters. */
@Injectable()
export class ReadMetadata {
  constructor(private readonly contents: DatasetSnapshots) {}

  /** @param snapshot its version that of now when left out. @param wanted keys that are kept, however many others there are. */
  async execute(
    scope: Scope,
    snapshot: Pick<Snapshot, 'datasetId'> & Partial<Snapshot>,
    wanted: readonly string[] = [],
  ): Promise<MetadataKeys> {
    const keys = new MetadataKeys(wanted);
    await this.contents.eachMetadata(scope, snapshot, (metadata) => keys.add(metadata));
    return keys;
  }

  /**
   * Looks up what gates name of the datapoints' metadata (docs/spec/eval-gates.md#gates-of-groups).
   * @returns the gates with the keys and values of their groups, and what is wrong with them.
   */
  async resolveGates(
    scope: Scope,
    snapshot: Pick<Snapshot, 'datasetId'> & Partial<Snapshot>,
    gates: readonly Gate[],
    scorers: readonly string[],
  ): Promise<{ gates: Gate[]; faults: FieldError[] }> {
    const wanted = gates.flatMap(({ group, by, cluster_by: clusterBy }) => [group?.key, by, clusterBy].filter(isText));
    const names = gates.some((gate) => gate.group || namesGroup(gate, scorers));
    if (wanted.length === 0 && !names) return { gates: [...gates], faults: [] };
    const keys = await this.execute(scope, snapshot, wanted);
    const faults: FieldError[] = [];
    const resolved = gates.map((gate, index) => {
      const found = keys.resolve(gate, scorers);
      faults.push(...found.faults.map(({ member, message }) => ({ path: `gates[${index}].${member}`, message })));
      return found.gate;
    });
    return { gates: resolved, faults };
  }
}

/** Whether the name of a gate's scorer is no scorer's, and so may be that of a group. */
const namesGroup = ({ scorer, group, metric }: Gate, scorers: readonly string[]): boolean =>
  typeof scorer === 'string' && !scorers.includes(scorer) && !group && !isCostMetric(metric);

const isText = (key: string | null | undefined): key is string => typeof key === 'string';

export interface Counting {
  failedAs: FailedAs;
  /** A member of the datapoints' `metadata`; `null`: each is a cluster of its own. */
  clusterBy: string | null;
  /** Members of it whose values make groups. */
  groupBy?: readonly string[];
}

/** @param scorers names, in the order of the run. */
export function toMeasures(row: SampleScoresRow, scorers: readonly string[]): SampleMeasures {
  const { status, score, said, preferences, latencyMs, cost, judgeCost, reused } = row;
  const failed = status === RESULT_STATUS.failed;
  return {
    failed,
    score,
    // Where a row has no scores by name, its own is that of the only scorer; of several none has said anything.
    ...(preferences !== null && {
      preferences: scorers.map((name) => (JSON.parse(preferences) as Record<string, ScorerResult>)[name]?.preference),
    }),
    scores: said !== null ? readScores(said, scorers) : scorers.length === 1 ? [score] : [],
    latencyMs,
    cost: addCosts([cost, judgeCost]),
    ...(reused === 1 && { isReused: true }),
  };
}

interface Question extends Counting {
  ks: readonly number[];
  /** Runs of the same dataset. */
  baselines: readonly EvalRunRow[];
  alpha: number;
  /** Whether scores that were not made alike have a verdict all the same. */
  isAnyScoring: boolean;
}

/** What a question without parameters counts (docs/spec/eval-statistics.md). */
const DEFAULT_QUESTION = { failedAs: 'excluded', clusterBy: null, alpha: 0.05 } as const;

interface Measured {
  statistics: RunStatistics;
  comparisons: Map<string, RunComparison>;
  /** None where none were asked for, or where there are too many. */
  groups: MeasuredGroup[];
  /** Why the run cannot be divided as it was asked for; `null` where it can. */
  groupFault: string | null;
  /** Members that clusters or groups were to be made by, and that no processed datapoint has. */
  missing: { clusterBy: string[]; groupBy: string[] };
}

/**
 * Computes the statistics of a run from its samples, which it reads slice by slice beside the requests, and compares it with
 * others (ADR 0046).
 */
@Injectable()
export class MeasureRun {
  constructor(
    private readonly samples: SampleScoresStore,
    private readonly contents: DatasetSnapshots,
    private readonly scoring: CompareScoring,
  ) {}

  async execute(scope: Scope, run: EvalRunRow, question: Question): Promise<Measured> {
    const patient = { ...scope, patient: true };
    const distributions = await loadDistributions();
    const samples = await this.readSamples(patient, run, question);
    const statistics = await runStatistics(samples, question.ks, distributions);
    // The run has the sum to the last digit, which a sum of doubles need not.
    statistics.cost.total = totalCost(run);
    const comparisons = new Map<string, RunComparison>();
    const groups: (MeasuredGroup & { samples: RunSamples })[] = [];
    for (const { values, samples: ofGroup } of samples.groups?.list() ?? []) {
      const group = Object.fromEntries(
        values.map((value, at) => [samples.groups!.keys[at]!, clusterValue(value ?? 'null')]),
      );
      const ofDatapoints = await runStatistics(ofGroup, question.ks, distributions);
      groups.push({ group, samples: ofGroup, statistics: ofDatapoints, comparisons: new Map(), corrected: new Map() });
    }
    for (const baseline of question.baselines) {
      const { datasetId, datasetVersion } = run;
      const versions = [datasetVersion, baseline.datasetVersion] as const;
      const changed = await this.contents.changed(patient, datasetId, versions);
      const others = await this.readSamples(patient, baseline, { ...question, clusterBy: null, groupBy: [] });
      const positions = await indexDatapoints(others);
      const comparable = await this.scoring.execute(patient, run, baseline);
      const { alpha, isAnyScoring } = question;
      const differences = compareConfigs(run, baseline);
      const comparing = this.scoring.listComparing(run, baseline);
      const how = { alpha, changed, distributions, positions, comparable, comparing, isAnyScoring, differences };
      const against = { baselineRunId: baseline.id, ...how };
      comparisons.set(baseline.id, await compareWithBaseline(samples, others, against));
      for (const group of groups) {
        group.comparisons.set(baseline.id, await compareWithBaseline(group.samples, others, against));
      }
      correctComparisons(groups, baseline.id);
    }
    return {
      ...{ statistics, comparisons, groups, groupFault: samples.groups?.fault ?? null },
      missing: {
        clusterBy: samples.clusters === null || samples.clusters.areNamed ? [] : [question.clusterBy!],
        groupBy: samples.groups?.missingKeys ?? [],
      },
    };
  }

  /** The processed samples of a run, in the order of the dataset. A run that goes on has those that are there. */
  async readSamples(
    scope: Scope,
    run: EvalRunRow,
    { failedAs, clusterBy, groupBy = [] }: Counting,
  ): Promise<RunSamples> {
    const scorers = listScorers(run);
    const taken = new RunSamples({
      repeats: run.repeats,
      passRule: readPassRule(run),
      scorers: scorers.map((scorer) => ({
        name: scorer.name,
        passScore: scorer.pass_score,
        isComparing: this.scoring.isComparing(scorer),
      })),
      failedAs,
      clustered: clusterBy !== null,
      groupBy,
    });
    const names = scorers.map(({ name }) => name);
    for await (const datapoints of this.datapoints(scope, run, names)) {
      if (clusterBy !== null || groupBy.length > 0) {
        await this.addMetadata(scope, run, datapoints, { clusterBy, groupBy });
      }
      for (const datapoint of datapoints) taken.add(datapoint);
    }
    return taken;
  }

  /** Whole datapoints: one whose samples lie in two slices comes with the second. */
  private async *datapoints(
    scope: Scope,
    run: EvalRunRow,
    names: readonly string[],
  ): AsyncGenerator<DatapointMeasures[], void, undefined> {
    let open: { id: string; samples: SampleMeasures[] } | undefined;
    for await (const rows of this.samples.slices(scope, run)) {
      const whole: DatapointMeasures[] = [];
      for (const row of rows) {
        const sample = toMeasures(row, names);
        sample.repeat = row.repeat;
        if (open?.id === row.datapointId) {
          open.samples.push(sample);
          continue;
        }
        if (open) whole.push(open);
        // Not an empty array that grows: it would have room for 17 samples, where most runs have one.
        open = { id: row.datapointId, samples: [sample] };
      }
      yield whole;
    }
    if (open) yield [open];
  }

  private async addMetadata(
    scope: Scope,
    { datasetId, datasetVersion: version }: EvalRunRow,
    datapoints: DatapointMeasures[],
    { clusterBy, groupBy = [] }: Pick<Counting, 'clusterBy' | 'groupBy'>,
  ): Promise<void> {
    const ids = datapoints.map(({ id }) => id);
    const metadata = await this.contents.metadata(scope, { datasetId, version }, ids);
    for (const datapoint of datapoints) {
      const own = metadata.get(datapoint.id);
      if (clusterBy !== null) datapoint.cluster = clusterKey(own, clusterBy);
      if (groupBy.length > 0) datapoint.group = groupBy.map((key) => clusterKey(own, key));
    }
  }
}

interface Judgement {
  gates: JudgedGate[];
  score: Pick<ScoreStatistics, 'se' | 'ci'>;
  measures: RunMeasures | null;
}

/** Puts its gates to a run, by the statistics that a question without parameters gets (docs/spec/eval-gates.md). */
@Injectable()
export class JudgeRun {
  constructor(
    private readonly measures: MeasureRun,
    private readonly runs: EvalRunStore,
  ) {}

  /** @param gates those of the run, or others that it is to have. A baseline that is gone leaves them without a value. */
  async execute(scope: Scope, run: EvalRunRow, gates: readonly JudgedGate[] = readGates(run)): Promise<Judgement> {
    const ids = new Set(gates.flatMap(({ baseline_run_id: id }) => id ?? []));
    const found = ids.size === 0 ? [] : await this.runs.findAll(scope, [...ids]);
    const baselines = found.filter(({ datasetId }) => datasetId === run.datasetId);
    const judged = [...gates];
    let score: Judgement['score'] = { se: null, ci: null };
    let measures: RunMeasures | null = null;
    for (const { clusterBy, key } of listDivisions(gates)) {
      const groupBy = key === undefined ? [] : [key];
      // The gates themselves say whether another scoring is allowed.
      const question = { ...DEFAULT_QUESTION, isAnyScoring: true, clusterBy, groupBy, ks: listKs(gates), baselines };
      const { statistics, comparisons, groups } = await this.measures.execute(scope, run, question);
      if (clusterBy === null) {
        score = { se: statistics.score.se, ci: statistics.score.ci };
        measures = measuresOf(statistics);
      }
      for (const [at, gate] of gates.entries()) {
        const isOfThis = (gate.cluster_by ?? null) === clusterBy && [undefined, key].includes(groupKeyOf(gate));
        if (isOfThis) judged[at] = judgeGate(gate, statistics, comparisons, groups);
      }
    }
    return { gates: judged, score, measures };
  }
}

/** `GET /api/eval/:run_id/statistics` (docs/spec/eval-statistics.md). */
@Injectable()
export class ReadStatistics {
  constructor(
    private readonly runs: EvalRunStore,
    private readonly measures: MeasureRun,
    private readonly metadata: ReadMetadata,
  ) {}

  /**
   * The statistics of a run in any state, by the samples that are processed.
   * @throws NotFound for the run or the baseline; Invalid for a baseline of another dataset, for a `k` over the repeats, for a
   *   member of the metadata that no datapoint has, and for too many groups.
   */
  async execute(scope: Scope, id: string, query: EvalStatisticsQuery): Promise<EvalStatistics> {
    const run = await this.runs.get(scope, id);
    const baseline = query.baseline === undefined ? undefined : await this.baseline(scope, run, query.baseline);
    const question = {
      ks: readKs(query, run),
      failedAs: query.failed_as,
      clusterBy: query.cluster_by ?? null,
      groupBy: [...new Set(query.group_by)],
      alpha: query.alpha,
      isAnyScoring: query.allow_different_scoring ?? false,
      baselines: baseline ? [baseline] : [],
    };
    const measured = await this.measures.execute(scope, run, question);
    const { statistics, comparisons, groups } = measured;
    await this.assertDivided(scope, run, measured);
    const { score, scorers, latency_ms, cost } = statistics;
    const summary = runSummary(run);
    return {
      run_id: run.id,
      status: summary.status,
      repeats: run.repeats,
      datapoints: run.total,
      samples: summary.sample_total,
      failed_samples: run.failedSamples,
      reused_samples: run.reusedSamples,
      pending_samples: summary.sample_total - run.sampleProgress,
      pass_score: run.passScore,
      failed_as: question.failedAs,
      cluster_by: question.clusterBy,
      ...{ score, scorers, latency_ms, cost },
      call_cost: summary.call_cost,
      judge_cost: summary.judge_cost,
      tokens: run.totalTokens,
      comparison: (baseline && comparisons.get(baseline.id)) ?? null,
      ...(question.groupBy.length > 0 && describeGroups(question.groupBy, groups, baseline?.id)),
    };
  }

  /** A member that no processed datapoint has may still be that of one to come. */
  private async assertDivided(scope: Scope, run: EvalRunRow, { groupFault, missing }: Measured): Promise<void> {
    if (groupFault !== null) throw invalidRequest([{ path: 'group_by', message: groupFault }], 'the query');
    const asked = [
      ...missing.clusterBy.map((key) => ({ path: 'cluster_by', key })),
      ...missing.groupBy.map((key) => ({ path: 'group_by', key })),
    ];
    if (asked.length === 0 || run.total === 0) return;
    const keys = asked.map(({ key }) => key);
    const known = await this.metadata.execute(scope, snapshotOf(run), keys);
    const faults = asked.flatMap(({ path, key }) =>
      known.has(key) ? [] : [{ path, message: known.describeMissing(key) }],
    );
    if (faults.length > 0) throw invalidRequest(faults, 'the query');
  }

  private async baseline(scope: Scope, run: EvalRunRow, id: string): Promise<EvalRunRow> {
    const baseline = isStorableText(id) ? await this.runs.find(scope, id) : null;
    if (!baseline) {
      throw new NotFound('eval_run_not_found', `there is no eval run ${JSON.stringify(id)} to compare with`);
    }
    if (baseline.datasetId !== run.datasetId) {
      throw invalidRequest([{ path: 'baseline', message: 'must be a run of the same dataset' }], 'the query');
    }
    return baseline;
  }
}

function describeGroups(
  groupBy: string[],
  groups: readonly MeasuredGroup[],
  baselineId: string | undefined,
): Pick<EvalStatistics, 'group_by' | 'groups' | 'correction'> {
  const resources = groups.map((group) => groupResource(group, baselineId));
  const tests = resources.filter(({ comparison }) => (comparison?.p_value ?? null) !== null).length;
  return {
    ...{ group_by: groupBy, groups: resources },
    ...(baselineId !== undefined && { correction: { method: 'holm', tests } as const }),
  };
}

function readKs({ k }: EvalStatisticsQuery, { repeats }: EvalRunRow): number[] {
  if (k === undefined) return defaultKs(repeats);
  if (k.some((each) => each > repeats)) {
    throw invalidRequest([{ path: 'k', message: `must be at most ${repeats}, the repeats of the run` }], 'the query');
  }
  return [...new Set(k)];
}
