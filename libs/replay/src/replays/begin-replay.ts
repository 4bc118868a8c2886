import { Injectable } from '@nestjs/common';
import { Connections, type UsableConnection } from '@spandrel/connections';
import {
  isStorableText,
  RECORDED,
  type ReplayLeftOut,
  type ReplayResource,
  type StartEval,
  type StartReplay,
} from '@spandrel/contract';
import { ChangeDatasets, spansInSlices } from '@spandrel/datasets';
import { PlanRun } from '@spandrel/evals';
import { Conflict, Invalid, invalidRequest, newId, type Scope } from '@spandrel/kernel';
import { ProjectMasking } from '@spandrel/masking';
import { Storage, toJsonText } from '@spandrel/storage';
import { largeRequestHash, SpanStore } from '@spandrel/tracing';
import { ChooseSpans } from './choose-spans.js';
import { examineSpan } from './examine-span.js';
import { leaseUntil } from './prepare-replay.js';
import { Replay, type ReplayRow } from './replay.entity.js';
import { REPLAY_STATUS, replayNotFound, replayResource, ReplayStore, type ReplayPlan } from './replay.store.js';
import { ReplayUpkeep } from './replay-upkeep.js';

/** Ids of spans that are shown of those that are left out for one reason. */
const SHOWN_MAX = 100;

interface Examined {
  spanIds: string[];
  models: ReadonlySet<string | null>;
  cost: ReplayPlan['cost'];
  leftOut: ReplayResource['left_out'];
}

/** `POST /api/replays` (docs/spec/replay.md#starting-a-replay). */
@Injectable()
export class BeginReplay {
  constructor(
    private readonly storage: Storage,
    private readonly replays: ReplayStore,
    private readonly choices: ChooseSpans,
    private readonly spans: SpanStore,
    private readonly datasets: ChangeDatasets,
    private readonly connections: Connections,
    private readonly plans: PlanRun,
    private readonly masking: ProjectMasking,
    private readonly upkeep: ReplayUpkeep,
  ) {}

  /**
   * @returns the replay, with its dataset and both of its runs. One whose id was chosen, and that is there from the same request, as it
   *   is, prepared to its end.
   * @throws Invalid for what cannot be done, `nothing_to_replay` where every span is left out; NotFound for the connection; Conflict for
   *   an id that another request has taken.
   */
  async execute(scope: Scope, body: StartReplay): Promise<ReplayResource> {
    const hash = body.id ? await largeRequestHash({ ...body }) : null;
    const there = body.id ? await this.replays.find(scope, body.id) : null;
    if (there && there.requestHash !== hash) throw taken();
    const { row, isNew } = there ? { row: there, isNew: false } : await this.begin(scope, body, hash);
    await this.upkeep.prepare(scope, row, isNew);
    const ready = await this.replays.find(scope, row.id);
    if (ready) return replayResource(ready);
    if (isNew) throw replayNotFound();
    // The request that began it has met a fault, and this one will, too.
    return this.execute(scope, body);
  }

  private async begin(scope: Scope, body: StartReplay, hash: string | null) {
    // Faults of the scorers come before anything is read.
    await this.plans.listScorers(scope, {
      ...body,
      baseline_run_id: RECORDED,
      config: { judge: body.judge },
    } as StartEval);
    const { ids, matched } = await this.choices.execute(scope, body.source);
    const { spanIds, models, cost, leftOut } = await this.examine(scope, ids);
    if (spanIds.length === 0) throw nothingToReplay(leftOut);
    const recordedModel = models.size === 1 ? [...models][0]! : null;
    const id = body.id ?? newId();
    const [datasetId, baselineRunId, runId] = [newId(), newId(), newId()];
    return this.storage.write(async (tx) => {
      const found = await this.replays.findForWrite(tx, scope, id);
      if (found && found.requestHash !== hash) throw taken();
      if (found) return { row: found, isNew: false };
      const connection = await this.connections.getForUse(tx, scope, body.change.connection_id);
      const plan: ReplayPlan = { spanIds, model: modelOf(body, connection, recordedModel), recordedModel, cost };
      const description = `${spanIds.length} recorded calls, with what was answered as the expected value.`;
      await this.datasets.insert(tx, scope, { name: `Replay: ${body.name}`.slice(0, 2_000), description }, datasetId);
      const row: ReplayRow = {
        ...{ projectId: scope.projectId, id, name: body.name, status: REPLAY_STATUS.preparing, error: null },
        ...{ datasetId, baselineRunId, runId },
        request: JSON.stringify(body),
        requestHash: hash,
        plan: JSON.stringify(plan),
        counts: toJsonText({ matched, taken: ids.length, left_out: leftOut })!,
        leaseUntil: leaseUntil(),
        createdAt: Date.now(),
      };
      await tx.em.insert(Replay, row);
      return { row, isNew: true };
    });
  }

  private async examine(scope: Scope, ids: readonly string[]): Promise<Examined> {
    const labels = await this.masking.labels(scope);
    const reasons = new Map<string, ReplayLeftOut>();
    const there = new Set<string>();
    const models = new Set<string | null>();
    const cost = { total: 0, dearest: 0 };
    for await (const slice of spansInSlices(this.spans, scope, ids.filter(isStorableText))) {
      for (const span of slice) {
        const examined = await examineSpan(span, labels);
        there.add(span.id);
        if (typeof examined === 'string') {
          reasons.set(span.id, examined);
          continue;
        }
        models.add(span.model);
        cost.total += span.cost ?? 0;
        cost.dearest = Math.max(cost.dearest, span.cost ?? 0);
      }
    }
    const leftOut = new Map<ReplayLeftOut, ReplayResource['left_out'][number]>();
    for (const id of ids) {
      const reason = there.has(id) ? reasons.get(id) : 'not_found';
      if (reason === undefined) continue;
      const of = leftOut.get(reason) ?? { reason, count: 0, span_ids: [] };
      leftOut.set(reason, of);
      of.count++;
      if (of.span_ids.length < SHOWN_MAX) of.span_ids.push(id);
    }
    return {
      spanIds: ids.filter((id) => there.has(id) && !reasons.has(id)),
      models,
      cost,
      leftOut: [...leftOut.values()].toSorted((a, b) => b.count - a.count),
    };
  }
}

const taken = (): Conflict =>
  new Conflict('id_conflict', 'another replay has this id; choose another one, or repeat the first request unchanged');

function nothingToReplay(leftOut: Examined['leftOut']): Invalid {
  const why = leftOut.map(({ reason, count }) => `${count} ${reason}`).join(', ');
  return new Invalid(
    'nothing_to_replay',
    why === '' ? 'no span matches, so there is nothing to replay' : `every span is left out: ${why}`,
  );
}

/** @throws Invalid where nothing says the model. */
function modelOf({ change }: StartReplay, connection: UsableConnection, recorded: string | null): string {
  const model = change.model ?? connection.defaultModel ?? recorded;
  if (model !== null) return model;
  const message = 'is required, since the connection has no default_model and the spans are of several models';
  throw invalidRequest([{ path: 'change.model', message }]);
}
