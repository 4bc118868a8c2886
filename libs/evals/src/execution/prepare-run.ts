import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Connections, type OpenConnection } from '@spandrel/connections';
import { EXTERNAL_SCORER, jsonTextInPieces, type RunScorer } from '@spandrel/contract';
import {
  PLUGINS,
  type PluginRegistry,
  type Scope,
  codeFile,
  inTurns,
  TaskFailure,
  TaskPool,
  type LoadedScorer,
} from '@spandrel/kernel';
import { findPrice, PRICING, type PricingTable } from '@spandrel/tracing';
import type { Score, Scorer, ScorerConfigFault, ScoreSample } from '@spandrel/plugin-api';
import type { EvalRunRow } from '../eval-run.entity.js';
import { findJudge, listScorers, runConfig } from '../eval-run.js';
import { createPrompt } from '../prompts/prompt.js';
import type { Judge, PreparedScorer } from './score-sample.js';
import type { PreparedModel } from './execute-sample.js';
import type { ThreadSample, ThreadScore } from './score-output.thread.js';

/** How long a scorer in a thread may take over an output (docs/plugins.md). */
const DEADLINE_MS = 10_000;

/** Has scorers that may compute for long do so in threads with a deadline (docs/adr/0054-threads-with-a-deadline.md). */
@Injectable()
export class ScoringThreads implements OnApplicationShutdown {
  private readonly pool: TaskPool<typeof import('./score-output.thread.js')>;

  constructor(@Inject(PLUGINS) plugins: Pick<PluginRegistry, 'scorers'>) {
    const entries = plugins.scorers.filter(({ extension }) => extension.inThread).map(({ entry }) => entry);
    const file = codeFile('libs/evals/src/execution/score-output.thread.ts');
    // A run has as many outputs here as it has scored at once.
    this.pool = new TaskPool({ file, threadsMax: 2, queueMax: Infinity, data: { plugins: entries } });
  }

  /** A scorer that scores in a thread where it wants to. @param project whose outputs they are. */
  place(project: string, { name, extension }: Pick<LoadedScorer, 'name' | 'extension'>, config: unknown): Scorer {
    if (!extension.inThread) return extension;
    const { needsExpected, needsBaseline = false } = extension;
    const configText = JSON.stringify(config);
    const score = async ({
      input,
      output,
      expected,
      baseline,
      rubric,
      latencyMs,
      cost,
    }: ScoreSample): Promise<Score> => {
      const members = { input, output, expected, baseline, rubric, latencyMs, cost };
      const sample = await inTurns(jsonTextInPieces(members));
      return this.score(project, { scoring: name, config: configText, sample });
    };
    return { needsExpected, needsBaseline, inThread: true, score };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.close();
  }

  /** What a scorer that scores in a thread finds wrong with its config, at paths of it; of others nothing. */
  async findConfigFaults(
    group: string,
    { name, extension }: Pick<LoadedScorer, 'name' | 'extension'>,
    config: unknown,
  ): Promise<readonly ScorerConfigFault[]> {
    if (!extension.inThread) return [];
    try {
      const scorer = { scoring: name, config: JSON.stringify(config) };
      return await this.pool.run('findConfigFaults', scorer, { deadlineMs: DEADLINE_MS, group });
    } catch (error) {
      return [{ path: '', message: `cannot be checked: ${describeFailure(error)}` }];
    }
  }

  /** @throws Error saying why there is no score. */
  private async score(group: string, sample: ThreadSample): Promise<Score> {
    let scored: ThreadScore;
    try {
      scored = await this.pool.run('scoreOutput', sample, { deadlineMs: DEADLINE_MS, group });
    } catch (error) {
      throw new Error(describeFailure(error), { cause: error });
    }
    if ('score' in scored) return scored.score;
    throw new Error(scored.error);
  }
}

const describeFailure = (error: unknown): string =>
  error instanceof TaskFailure && error.reason === 'deadline'
    ? `took longer than ${DEADLINE_MS / 1_000} s`
    : 'its thread failed';

/** A run ready to be executed: its connections opened, its scorers configured. */
export interface PreparedRun {
  /** `undefined` for an external run. */
  model: PreparedModel | undefined;
  /** Scorers that the server has, in the order of the run. */
  scorers: PreparedScorer[];
  /** Whether the calls of each sample make a trace. */
  trace: boolean;
}

/** A scorer of a rule has nothing of a run. */
const NO_MODEL = { connection_id: null, model: null, judge: null };

/** What stands in the way of a run as a whole. */
export class RunFailure extends Error {}

/** Makes what the row of a run says ready to be executed. */
@Injectable()
export class PrepareRun {
  constructor(
    private readonly connections: Connections,
    @Inject(PRICING) private readonly pricing: PricingTable,
    @Inject(PLUGINS) private readonly plugins: Pick<PluginRegistry, 'scorers'>,
    @Inject(ScoringThreads) private readonly threads: Pick<ScoringThreads, 'place'>,
  ) {}

  /** @throws RunFailure, ConnectionUnusable: the run cannot be executed. What the database throws. */
  async execute(scope: Scope, run: EvalRunRow): Promise<PreparedRun> {
    const config = runConfig(run);
    const opened = new Map<string, OpenConnection>();
    const open = async (id: string): Promise<OpenConnection> => {
      const connection = opened.get(id) ?? (await this.connections.open(scope, id));
      opened.set(id, connection);
      return connection;
    };
    const model =
      config.connection_id === null
        ? undefined
        : {
            connection: await open(config.connection_id),
            model: config.model!,
            prompt: createPrompt(config),
            temperature: config.temperature ?? undefined,
            maxTokens: config.max_tokens ?? undefined,
            maxTokensMember: config.max_tokens_member,
            isAsRecorded: config.recorded === true,
          };
    const scorers: PreparedScorer[] = [];
    for (const scorer of listScorers(run)) {
      if (scorer.scoring === EXTERNAL_SCORER) continue;
      const judge = await this.prepareJudge(run, scorer, config, open);
      scorers.push({ ...this.configured(run.projectId, scorer), weight: scorer.weight, judge });
    }
    return { model, scorers, trace: config.trace };
  }

  /**
   * Makes a scorer of a scoring rule ready. @param hasBudget whether its judge must have a price.
   * @throws as {@link execute}.
   */
  async prepareAlone({ orgId, projectId }: Scope, scorer: RunScorer, hasBudget: boolean): Promise<PreparedScorer> {
    const open = (id: string): Promise<OpenConnection> => this.connections.open({ orgId, projectId }, id);
    const judge = await this.prepareJudge({ costCap: hasBudget ? 0 : null }, scorer, NO_MODEL, open);
    return { ...this.configured(projectId, scorer), weight: 1, judge };
  }

  private async prepareJudge(
    { costCap }: Pick<EvalRunRow, 'costCap'>,
    scorer: RunScorer,
    config: Parameters<typeof findJudge>[1],
    open: (id: string) => Promise<OpenConnection>,
  ): Promise<Judge> {
    const { connection_id: id, model, ...how } = findJudge(scorer, config);
    if (id === null) return { asks: 'the run has no connection for a judge; give judge.connection_id', ...how };
    const connection = await open(id);
    if (model === null) return { asks: 'the run has no model for a judge; give judge.model', ...how };
    if (costCap !== null && !findPrice(this.pricing, model)) {
      const asks = `max_cost_usd cannot be kept, since the judge's model ${JSON.stringify(model)} has no price; see pricing in the configuration`;
      return { asks, ...how };
    }
    return { asks: { connection, model }, ...how };
  }

  private configured(
    projectId: string,
    { name, scoring, scoring_config: given }: RunScorer,
  ): Omit<PreparedScorer, 'weight' | 'judge'> {
    const scorer = this.plugins.scorers.find((plugin) => plugin.name === scoring);
    if (!scorer) throw new RunFailure(`the scoring plugin ${scoring} is not loaded`);
    const checked = scorer.configure(given);
    if (!('faults' in checked)) {
      const { config } = checked;
      return { name, scorer: this.threads.place(projectId, scorer, config), config };
    }
    const faults = checked.faults.map(({ path, message }) => `${path} ${message}`).join('; ');
    throw new RunFailure(`the scoring plugin ${scoring} no longer takes the run's scoring_config: ${faults}`);
  }
}
