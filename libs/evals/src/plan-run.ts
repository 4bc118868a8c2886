import { Inject, Injectable } from '@nestjs/common';
import { Connections, type UsableConnection } from '@spandrel/connections';
import {
  EXTERNAL_SCORER,
  type EvalConfig,
  type EvalConfigResource,
  type FieldError,
  type Gate,
  type JudgedGate,
  type RunScorer,
  type StartEval,
} from '@spandrel/contract';
import { invalidRequest, NotFound, PLUGINS, type PluginRegistry, type Scope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import { findPrice, PRICING, type PricingTable } from '@spandrel/tracing';
import { EvalsSettings } from './evals.settings.js';
import { ScoringThreads } from './execution/scoring-threads.js';
import { PlanGates } from './set-gates.js';

type GivenScorer = NonNullable<StartEval['scorers']>[number];

/** Makes what a request to start a run says into a plan that can be carried out (docs/spec/evaluations.md#starting-a-run). */
@Injectable()
export class PlanRun {
  constructor(
    private readonly connections: Connections,
    private readonly gates: PlanGates,
    @Inject(PLUGINS) private readonly plugins: Pick<PluginRegistry, 'scorers' | 'providers'>,
    @Inject(PRICING) private readonly pricing: PricingTable,
    private readonly settings: EvalsSettings,
    private readonly threads: ScoringThreads,
  ) {}

  /** The scorers of a run, checked by their plugins. @throws Invalid with all faults. */
  async listScorers({ projectId }: Scope, body: StartEval): Promise<RunScorer[]> {
    const listed: GivenScorer[] = body.scorers ?? [{ scoring: body.scoring!, scoring_config: body.scoring_config }];
    const isExternal = body.execution === 'external';
    const faults: FieldError[] = [];
    const names = new Set<string>();
    const scorers: RunScorer[] = [];
    for (const [index, scorer] of listed.entries()) {
      const at = body.scorers ? `scorers[${index}].` : '';
      const name = scorer.name ?? scorer.scoring;
      if (names.has(name))
        faults.push({ path: `${at}name`, message: `${JSON.stringify(name)} is the name of two scorers` });
      names.add(name);
      faults.push(...(await this.findFaults(projectId, scorer, at, isExternal)));
      faults.push(...this.findRubricFaults(scorer, body, at));
      scorers.push({
        name,
        scoring: scorer.scoring,
        scoring_config: scorer.scoring_config ?? null,
        judge: scorer.judge ? completeJudge(scorer.judge) : null,
        weight: scorer.weight ?? 1,
        pass_score:
          scorer.pass_score ??
          body.pass_score ??
          (this.findScorer(scorer.scoring)?.extension.isGraded ? GRADE_THAT_PASSES : 1),
      });
    }
    if (faults.length > 0) throw invalidRequest(faults);
    return scorers;
  }

  private findScorer(scoring: string): PluginRegistry['scorers'][number] | undefined {
    return this.plugins.scorers.find(({ name }) => name === scoring);
  }

  /** The names of scorers that cannot score a datapoint without an expected value. */
  listExpecting(scorers: readonly RunScorer[]): string[] {
    return scorers.filter(({ scoring }) => this.findScorer(scoring)?.extension.needsExpected).map(({ name }) => name);
  }

  /**
   * The config with its defaults, and the gates; connections are there and stay until the transaction ends.
   * @param others connections that other runs of the same transaction need.
   * @throws NotFound for a connection or baseline; Invalid for a model that is not named or has no price, and for gates.
   */
  async execute(
    tx: WriteTx,
    scope: Scope,
    datasetId: string,
    body: StartEval,
    scorers: RunScorer[],
    resolved: { gates: Gate[]; faults: FieldError[] },
    others: readonly string[],
  ): Promise<{ config: EvalConfigResource; gates: JudgedGate[] }> {
    const repeats = body.repeats ?? 1;
    const gates = await this.gates.execute(tx, scope, { datasetId, repeats, scorers, ...resolved });
    const judges = scorers.flatMap(({ judge }) => judge?.connection_id ?? []);
    const { connection_id: id, judge } = body.config ?? {};
    const own = body.execution === 'external' ? undefined : id!;
    // Locked in one order by everybody.
    const connections = new Map<string, UsableConnection>();
    const needed = [...others, own, judge?.connection_id, ...judges].filter((each) => typeof each === 'string');
    for (const each of [...new Set(needed)].sort()) connections.set(each, await this.connection(tx, scope, each));
    for (const { judge: scorerJudge } of scorers) {
      if (scorerJudge?.connection_id && scorerJudge.model === null) {
        scorerJudge.model = connections.get(scorerJudge.connection_id)!.defaultModel;
      }
    }
    const config = this.complete(body, own, connections);
    this.assertPriced(body, config);
    if (own === undefined) this.assertJudges(body, config, scorers);
    this.assertEmbeddings(body, config, scorers, connections);
    return { config, gates };
  }

  private async findFaults(
    projectId: string,
    { scoring, scoring_config: config }: GivenScorer,
    at: string,
    isExternal: boolean,
  ): Promise<FieldError[]> {
    if (scoring === EXTERNAL_SCORER && isExternal) {
      return config ? [{ path: `${at}scoring_config`, message: `must be left out with ${EXTERNAL_SCORER}` }] : [];
    }
    const scorer = this.findScorer(scoring);
    if (!scorer || scoring === EXTERNAL_SCORER) {
      const names = [...(isExternal ? [EXTERNAL_SCORER] : []), ...this.plugins.scorers.map(({ name }) => name)];
      return [{ path: `${at}scoring`, message: `must be the name of a scoring strategy: ${names.join(', ')}` }];
    }
    const checked = scorer.configure(config);
    const found =
      'faults' in checked ? checked.faults : await this.threads.findConfigFaults(projectId, scorer, checked.config);
    return found.map(({ path, message }) => ({
      path: path ? `${at}scoring_config.${path}` : `${at}scoring_config`,
      message,
    }));
  }

  private findRubricFaults({ scoring, judge }: GivenScorer, { config }: StartEval, at: string): FieldError[] {
    const rubric = judge?.rubric ?? config?.judge?.rubric;
    const message = rubric && this.findScorer(scoring)?.extension.rubricFault?.(rubric);
    return message ? [{ path: judge?.rubric ? `${at}judge.rubric` : 'config.judge.rubric', message }] : [];
  }

  private complete(
    { config = {} }: StartEval,
    id: string | undefined,
    connections: ReadonlyMap<string, UsableConnection>,
  ): EvalConfigResource {
    const { judge } = config;
    const model = config.model ?? (id === undefined ? null : connections.get(id)!.defaultModel);
    if (model === null && id !== undefined) {
      throw invalidRequest([
        { path: 'config.model', message: 'is required, since the connection has no default_model' },
      ]);
    }
    const judgeId = judge?.connection_id ?? null;
    const judgeModel = judgeId === null ? null : connections.get(judgeId)!.defaultModel;
    return {
      connection_id: id ?? null,
      model,
      system_prompt: config.system_prompt ?? null,
      temperature: config.temperature ?? null,
      max_tokens: config.max_tokens ?? null,
      ...(config.messages && { messages: config.messages }),
      ...(config.max_tokens_member && { max_tokens_member: config.max_tokens_member }),
      trace: id !== undefined && (config.trace ?? this.settings.trace),
      judge: judge ? { ...completeJudge(judge), model: judge.model ?? judgeModel } : null,
    };
  }

  /** A cap holds only where what calls cost is known. */
  private assertPriced({ max_cost_usd: cap, execution }: StartEval, { model }: EvalConfigResource): void {
    if ((cap ?? null) === null || execution === 'external') return;
    if (model !== null && findPrice(this.pricing, model)) return;
    const message = `cannot be kept, since the model ${JSON.stringify(model)} has no price; see pricing in the configuration`;
    throw invalidRequest([{ path: 'max_cost_usd', message }]);
  }

  /** An external run has no connection of its own, which a judge could be asked by. @throws Invalid with all faults. */
  private assertJudges(
    { scorers: listed }: StartEval,
    config: EvalConfigResource,
    scorers: readonly RunScorer[],
  ): void {
    const faults = scorers.flatMap(({ scoring, judge }, index): FieldError[] => {
      const extension = this.findScorer(scoring)?.extension;
      if (!extension?.asksJudge && !extension?.embeds) return [];
      const at = listed ? `scorers[${index}].judge` : 'config.judge';
      if ((judge?.connection_id ?? config.judge?.connection_id ?? null) === null) {
        const message = `is required: ${scoring} asks a judge, and an external run has no connection of its own`;
        return [{ path: `${at}.connection_id`, message }];
      }
      if ((judge?.model ?? config.judge?.model ?? config.model) !== null) return [];
      return [{ path: `${at}.model`, message: "is required, since the judge's connection has no default_model" }];
    });
    if (faults.length > 0) throw invalidRequest(faults);
  }

  /** Vectors are made by a model of embeddings, which the model of a run is not. @throws Invalid with all faults. */
  private assertEmbeddings(
    { scorers: listed }: StartEval,
    config: EvalConfigResource,
    scorers: readonly RunScorer[],
    connections: ReadonlyMap<string, UsableConnection>,
  ): void {
    const faults = scorers.flatMap(({ scoring, judge }, index): FieldError[] => {
      if (!this.findScorer(scoring)?.extension.embeds) return [];
      const at = listed ? `scorers[${index}].judge` : 'config.judge';
      if ((judge?.model ?? config.judge?.model ?? null) === null) {
        return [{ path: `${at}.model`, message: `is required: ${scoring} asks a model of embeddings` }];
      }
      const id = judge?.connection_id ?? config.judge?.connection_id ?? config.connection_id;
      const { provider: used } = connections.get(id!)!;
      const provider = this.plugins.providers.find(({ name }) => name === used);
      if (!provider || provider.extension.embeddings) return [];
      const message = `must be of a connection that makes embeddings, which the provider ${used} does not`;
      return [{ path: `${at}.connection_id`, message }];
    });
    if (faults.length > 0) throw invalidRequest(faults);
  }

  private async connection(tx: WriteTx, scope: Scope, id: string): Promise<UsableConnection> {
    const connection = await this.connections.findForUse(tx, scope, id);
    if (!connection) {
      throw new NotFound(
        'connection_not_found',
        'there is no provider connection with this id; GET /api/provider-connections lists them',
      );
    }
    return connection;
  }
}

/** The pass score of a scorer whose scores are grades, unless given. */
const GRADE_THAT_PASSES = 0.5;

/** A judge as a run keeps it. A temperature of `null` is one that was given. */
const completeJudge = (judge: NonNullable<EvalConfig['judge']>): NonNullable<RunScorer['judge']> => ({
  connection_id: judge.connection_id ?? null,
  model: judge.model ?? null,
  rubric: judge.rubric ?? null,
  ...(judge.temperature !== undefined && { temperature: judge.temperature }),
});
