import { Inject, Injectable } from '@nestjs/common';
import { Connections, type OpenConnection } from '@spandrel/connections';
import { EXTERNAL_SCORER, type EvalConfigResource, type RunScorer } from '@spandrel/contract';
import { PLUGINS, type PluginRegistry, type Scope } from '@spandrel/kernel';
import { findPrice, PRICING, type PricingTable } from '@spandrel/tracing';
import type { EvalRunRow } from '../eval-run.entity.js';
import { findJudge, listScorers, runConfig } from '../eval-run.js';
import { createPrompt } from '../prompts/prompt.js';
import type { Judge, PreparedScorer } from './score-sample.js';
import type { PreparedModel } from './execute-sample.js';
import { ScoringThreads } from './scoring-threads.js';

/** A run ready to be executed: its connections opened, its scorers configured. */
export interface PreparedRun {
  /** `undefined` for an external run. */
  model: PreparedModel | undefined;
  /** Scorers that the server has, in the order of the run. */
  scorers: PreparedScorer[];
  /** Whether the calls of each sample make a trace. */
  trace: boolean;
}

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
          };
    const scorers: PreparedScorer[] = [];
    for (const scorer of listScorers(run)) {
      if (scorer.scoring === EXTERNAL_SCORER) continue;
      const judge = await this.prepareJudge(run, scorer, config, open);
      scorers.push({ ...this.configured(run.projectId, scorer), weight: scorer.weight, judge });
    }
    return { model, scorers, trace: config.trace };
  }

  private async prepareJudge(
    { costCap }: EvalRunRow,
    scorer: RunScorer,
    config: EvalConfigResource,
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
