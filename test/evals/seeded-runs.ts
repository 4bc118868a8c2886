import type { EvalRunSummary } from '@spandrel/contract';
import { rowsFrom, sql } from '@spandrel/storage';
import type { EvalsLab } from './evals-lab.ts';

/** A try of a datapoint as a test has it; `undefined` in its place: it is not processed. */
export interface SeededSample {
  /** The combined score. */
  score?: number | null;
  /** By scorer; the only one's is {@link score} where they are left out. */
  scores?: Record<string, number | null>;
  failed?: boolean;
  latencyMs?: number | null;
  /** In dollars. */
  cost?: number | null;
}

export interface SeededRun {
  datasetId: string;
  datapointIds: readonly string[];
  /** A list a datapoint, of its samples in order. */
  samples: readonly (readonly (SeededSample | undefined)[])[];
  /** Members of the request that starts it. */
  start?: Record<string, unknown>;
  /** `completed` when left out. */
  status?: keyof typeof STATUS;
}

const STATUS = { running: 1, completed: 2, failed: 3, cancelled: 4 };

/** Scores of 0 and 1 as digits, a word a datapoint: `111 101` is two datapoints of three repeats. */
export const digits = (text: string): SeededSample[][] =>
  text.split(' ').map((word) => Array.from(word, (digit) => ({ score: Number(digit) })));

/** Datapoints of one sample each; `null`: it failed. */
export const singles = (scores: readonly (number | null)[]): SeededSample[][] =>
  scores.map((score) => [{ score, failed: score === null }]);

/**
 * Makes a run whose samples are the test's: one that a caller executes, so that nobody touches it, with rows as an executed run
 * has them. @returns its id.
 */
export async function seedRun(
  lab: EvalsLab,
  { datasetId, datapointIds, samples, start = {}, status = 'completed' }: SeededRun,
): Promise<string> {
  const repeats = Math.max(1, ...samples.map(({ length }) => length));
  const body = { name: 'seeded', scoring: 'External', execution: 'external', repeats, ...start };
  const { status: answered, body: run } = await lab.api.post<EvalRunSummary>(`/api/datasets/${datasetId}/eval`, body);
  if (answered !== 201) throw new Error(`not started: ${JSON.stringify(run)}`);
  const rows = samples.flatMap((ofDatapoint, i) =>
    ofDatapoint.flatMap((sample, repeat) => (sample ? [{ ...sample, id: datapointIds[i]!, repeat }] : [])),
  );
  const items = samples.flatMap((ofDatapoint, i) => {
    const done = ofDatapoint.filter((sample) => sample !== undefined);
    if (done.length < repeats) return [];
    const scores = done.flatMap(({ score }) => score ?? []);
    const failed = done.every((sample) => sample.failed);
    const score = scores.length === 0 ? null : scores.reduce((sum, each) => sum + each, 0) / scores.length;
    return [{ ...(repeats === 1 ? done[0] : { score, failed }), id: datapointIds[i]!, repeat: 0 }];
  });
  await lab.server.storage.write(async (tx) => {
    const of = sql`project_id, ${run.id}, w.id`;
    const outcome = sql`w.status, w.score, w.scores, w.latency, w.cost, 1`;
    const columns = sql`status, score, scores, latency_ms, cost, attempts`;
    await tx.run(
      sql`insert into eval_result (project_id, run_id, datapoint_id, ${columns})
        select ${of}, ${outcome} from ${table(items)} cross join (select project_id from eval_run where id = ${run.id}) r`,
    );
    if (repeats > 1) {
      await tx.run(
        sql`insert into eval_sample (project_id, run_id, datapoint_id, repeat, ${columns})
          select ${of}, w.repeat, ${outcome}
          from ${table(rows)} cross join (select project_id from eval_run where id = ${run.id}) r`,
      );
    }
    const scored = items.flatMap(({ score }) => score ?? []);
    const costs = rows.flatMap(({ cost }) => cost ?? []);
    await tx.run(
      sql`update eval_run set status = ${STATUS[status]}, started_at = created_at, total = ${samples.length},
          ended_at = ${status === 'running' ? null : Date.now()},
          progress = ${items.length}, failed_count = ${items.filter(({ failed }) => failed).length},
          sample_progress = ${rows.length}, failed_samples = ${rows.filter(({ failed }) => failed).length},
          score_sum = ${scored.reduce((sum, each) => sum + each, 0)}, score_count = ${scored.length},
          cost_pico = ${costs.reduce((sum, cost) => sum + Math.round(cost * 1e12), 0)}, cost_count = ${costs.length}
        where id = ${run.id}`,
    );
  });
  return run.id;
}

const table = (samples: readonly (SeededSample & { id: string; repeat: number })[]) =>
  rowsFrom('w', {
    id: { type: 'text', values: samples.map(({ id }) => id) },
    repeat: { type: 'number', values: samples.map(({ repeat }) => repeat) },
    status: { type: 'number', values: samples.map(({ failed }) => (failed ? 3 : 2)) },
    score: { type: 'number', values: samples.map(({ score }) => score ?? null) },
    scores: { type: 'text', values: samples.map(({ scores }) => (scores ? scoresText(scores) : null)) },
    latency: { type: 'number', values: samples.map(({ latencyMs }) => latencyMs ?? null) },
    cost: { type: 'number', values: samples.map(({ cost }) => cost ?? null) },
  });

const scoresText = (scores: Record<string, number | null>): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(scores).map(([name, score]) => [
        name,
        {
          ...{ score, reason: `\0 "${name}":{"score":0.125}`, error: null },
          ...{ judge_model: null, judge_prompt_hash: null, judge_tokens: null, judge_cost: null },
        },
      ]),
    ),
  );
