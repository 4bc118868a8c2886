import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EvalItem, EvalRunResource, EvalRunSummary, StartedMatrix } from '@spandrel/contract';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { until } from '../support/spandrel.ts';
import { undated, type TransferServer } from './transfer-server.ts';

type Item = Record<string, unknown>;

interface File {
  exported_at: string;
  eval_runs: Item[];
  eval_results: Item[];
  eval_samples: Item[];
  eval_attempts: Item[];
}

/** A project with runs that tried datapoints several times, had several scorers, and were executed elsewhere. */
interface Sampled {
  project: string;
  datasetId: string;
  repeated: string;
  external: string;
}

/** What there was not before runs had samples. */
const NEW_MEMBERS = [
  ...['execution', 'repeats', 'sample_progress', 'sample_total', 'failed_samples', 'scorers', 'pass_score', 'metadata'],
  ...['max_cost_usd', 'gates', 'passed', 'stop_reason', 'score_se', 'score_ci', 'call_cost'],
  ...['pass_rate', 'latency_ms', 'sample_cost', 'scorer_scores'],
];

/** @param all whether what a database has no part in is shown as well. */
export function sampledRuns(server: () => TransferServer, all: boolean): void {
  const itOfFiles = (title: string, test: () => Promise<void>): void => {
    if (all) it(title, test);
  };
  let provider: FakeProvider | undefined;
  beforeAll(async () => {
    provider = await startFakeProvider();
  });
  afterAll(() => provider?.close());

  const call = <Body>(project: string, method: string, path: string, body?: unknown): Promise<Body> =>
    server().call<Body>(project, method, path, body);
  const parsed = (text: string): File => JSON.parse(text) as File;

  async function fill(): Promise<Sampled> {
    const project = server().project();
    const { id: connectionId } = await call<{ id: string }>(project, 'POST', '/api/provider-connections', {
      ...{ name: 'fake', provider: 'openai', api_key: 'sk-x', base_url: `${provider!.url}/v1` },
    });
    const { id: datasetId } = await call<{ id: string }>(project, 'POST', '/api/datasets', { name: 'set' });
    const path = `/api/datasets/${datasetId}`;
    const datapointIds: string[] = [];
    for (const kind of [
      { input: 'a', expected_output: 'said', metadata: { category: 'x' } },
      { input: 'b', expected_output: 'no', metadata: { category: 2 } },
      { input: 'c' },
    ]) {
      const { id } = await call<{ id: string }>(project, 'POST', `${path}/datapoints`, { kind: { Generic: kind } });
      datapointIds.push(id);
    }
    const started = await call<{ id: string }>(project, 'POST', `${path}/eval`, {
      name: 'repeated',
      config: { connection_id: connectionId, model: 'gpt-4.1-mini' },
      scorers: [
        { name: 'has', scoring: 'Contains' },
        { scoring: 'ExactMatch', weight: 0, pass_score: 0.5 },
      ],
      ...{ repeats: 3, pass_score: 0.25, max_cost_usd: 5, metadata: { commit: 'c1', branch: '' } },
      gates: [
        { metric: 'mean', op: '>=', value: 0.1 },
        { metric: 'pass_hat_k', scorer: 'has', k: 3, op: '>', value: 0.9 },
        { metric: 'pass_rate', op: '>=', value: 0.5, by: 'category' },
        {
          ...{ metric: 'mean_ci_low', op: '>=', value: 0, cluster_by: 'category' },
          group: { key: 'category', value: 2 },
        },
      ],
    });
    const read = () => call<EvalRunResource>(project, 'GET', `/api/eval/${started.id}`);
    await until(async () => !['pending', 'running'].includes((await read()).status), 60_000);
    const elsewhere = await call<{ id: string }>(project, 'POST', `${path}/eval`, {
      ...{ name: 'elsewhere', execution: 'external', scoring: 'External', repeats: 2, metadata: { commit: 'c1' } },
      gates: [{ metric: 'regression', baseline_run_id: started.id }],
    });
    await call(project, 'POST', `/api/eval/${elsewhere.id}/results`, {
      results: [
        {
          ...{ datapoint_id: datapointIds[0], output: 'o\0', scores: { External: { score: 0.5, reason: 'half' } } },
          ...{ trace_id: 'a trace', span_id: 'a span', metadata: { a: [1] }, cost: 0.1, latency_ms: 7 },
        },
        { datapoint_id: datapointIds[0], repeat: 1, error: 'lost' },
        { datapoint_id: datapointIds[1], repeat: 1, output: 'o', scores: { External: 1 } },
      ],
    });
    await call(project, 'POST', `/api/eval/${elsewhere.id}/complete`);
    return { project, datasetId, repeated: started.id, external: elsewhere.id };
  }

  /** What the API shows of the runs. */
  const shown = (project: string, { datasetId, repeated, external }: Sampled): Promise<unknown[]> =>
    Promise.all(
      [
        ...[repeated, external].flatMap((id) => [
          ...[`/api/eval/${id}`, `/api/eval/${id}/items?include=samples`, `/api/eval/${id}/statistics`],
          `/api/eval/${id}/statistics?k=1,2&failed_as=zero&baseline=${repeated}&group_by=category`,
          `/api/eval/${id}/metadata`,
        ]),
        ...['metadata.commit=c1', 'metadata.branch=', 'execution=external', 'passed=true', 'passed=false'].map(
          (filter) => `/api/datasets/${datasetId}/eval?${filter}`,
        ),
      ].map((path) => call(project, 'GET', path)),
    );

  describe('an export of runs with samples', () => {
    it('comes back with samples, scorers, gates and metadata, and the statistics are the same', async () => {
      const sampled = await fill();
      const { project: from } = sampled;
      const file = await server().export(from);
      const content = parsed(file);
      expect([content.eval_runs, content.eval_results, content.eval_samples].map((list) => list.length)).toEqual([
        ...[2, 4, 9 + 3],
      ]);
      expect(content.eval_samples[0]).toMatchObject({ repeat: 0, scores: { has: { score: 1 } } });
      const before = await shown(from, sampled);
      const reversed = JSON.stringify(Object.fromEntries(Object.entries(content).toReversed()));
      for (const [project, text] of [
        [server().project(), file],
        [server().project(), reversed],
        [from, file],
      ] as const) {
        for (let time = 0; time < 2; time++) {
          expect((await server().restore(project, text)).imported).toMatchObject({ eval_runs: 2, eval_samples: 12 });
          expect(await shown(project, sampled)).toEqual(before);
          expect(undated(await server().export(project))).toBe(undated(file));
        }
      }
    });

    it('comes back with prompts of messages, runs that were started together, and former attempts', async () => {
      const project = server().project();
      const { id: connectionId } = await call<{ id: string }>(project, 'POST', '/api/provider-connections', {
        ...{ name: 'fake', provider: 'custom', api_key: 'sk-x', base_url: `${provider!.url}/v1` },
      });
      const { id: datasetId } = await call<{ id: string }>(project, 'POST', '/api/datasets', { name: 'set' });
      for (const input of ['well', `fake:error-400+times:1 ${project}`]) {
        const kind = { Generic: { input, metadata: { tone: 'dry' } } };
        await call(project, 'POST', `/api/datasets/${datasetId}/datapoints`, { kind });
      }
      const messages = [
        { role: 'system', content: 'Be {{metadata.tone}}.' },
        { role: 'user', content: '{{input}}' },
      ];
      const ended = async (id: string): Promise<EvalRunResource> => {
        const read = () => call<EvalRunResource>(project, 'GET', `/api/eval/${id}`);
        await until(async () => !['pending', 'running'].includes((await read()).status), 60_000);
        return read();
      };
      const matrix = { name: 'night', scoring: 'None', config: { connection_id: connectionId } };
      const { group_id: group, runs } = await call<StartedMatrix>(
        ...([
          project,
          'POST',
          `/api/datasets/${datasetId}/eval/matrix`,
          { ...matrix, models: ['a', 'b'], prompts: [{ messages }] },
        ] as const),
      );
      const repeated = await call<{ id: string }>(project, 'POST', `/api/datasets/${datasetId}/eval`, {
        ...{ ...matrix, name: 'repeated', repeats: 2, config: { connection_id: connectionId, model: 'c', messages } },
      });
      const ids = [...runs, repeated].map(({ id }) => id);
      for (const id of ids) {
        expect((await ended(id)).failed_samples).toBe(1);
        await call(project, 'POST', `/api/eval/${id}/retry`, { what: 'failed' });
        const again = await ended(id);
        expect(again).toMatchObject({ failed_samples: 0, retried_samples: 1, config: { messages } });
        expect(again.result_items[1]!.former_attempts).toHaveLength(1);
      }
      const pages = [
        ...ids.flatMap((id) => [`/api/eval/${id}`, `/api/eval/${id}/items?include=samples`]),
        `/api/eval?group_id=${group}`,
      ];
      const before = await Promise.all(pages.map((page) => call(project, 'GET', page)));
      expect(before.at(-1)).toMatchObject({ count: 2 });
      const file = await server().export(project);
      const { eval_attempts: attempts } = parsed(file);
      expect(attempts).toHaveLength(3);
      expect(attempts[0]).toMatchObject({ attempt: 0, repeat: 0, status: 'failed', output_kept: false, output: null });
      const to = server().project();
      const reversed = JSON.stringify(Object.fromEntries(Object.entries(parsed(file)).toReversed()));
      for (const [target, text] of [
        [to, file],
        [to, file],
        [server().project(), reversed],
        [project, file],
      ] as const) {
        const { imported } = await server().restore(target, text);
        expect(imported).toMatchObject({ eval_runs: 3, eval_samples: 4, eval_attempts: 3 });
        expect(await Promise.all(pages.map((page) => call(target, 'GET', page)))).toEqual(before);
        expect(undated(await server().export(target))).toBe(undated(file));
      }
    });

    it('comes back with the datapoints that its filter took, though they were edited since', async () => {
      const { project, datasetId } = await fill();
      const path = `/api/datasets/${datasetId}`;
      const add = (index: number) =>
        call<{ id: string }>(project, 'POST', `${path}/datapoints`, {
          kind: { Generic: { input: `more ${index}`, metadata: { split: index % 2 === 0 ? 'test' : 'train' } } },
        });
      const ids = [];
      for (let index = 0; index < 12; index++) ids.push((await add(index)).id);
      const started = await call<{ id: string }>(project, 'POST', `${path}/eval`, {
        ...{ name: 'part', execution: 'external', scoring: 'External' },
        filter: { metadata: { split: 'test' }, sample: 4, seed: 3 },
      });
      const run = `/api/eval/${started.id}`;
      const { items } = await call<{ items: EvalItem[] }>(project, 'GET', `${run}/items`);
      const results = items.map((item) => ({ datapoint_id: item.datapoint_id, output: 'o', scores: { External: 1 } }));
      await call(project, 'POST', `${run}/results`, { results: results.slice(1) });
      await call(project, 'POST', `${run}/complete`);
      const kind = { Generic: { input: 'edited', metadata: { split: 'train' } } };
      await call(project, 'PUT', `${path}/datapoints/${items[0]!.datapoint_id}`, { kind });
      const partOf = (of: string): Promise<unknown[]> =>
        Promise.all(
          [run, `${run}/items`, `${run}/items?status=pending`, `${run}/statistics`].map((each) =>
            call(of, 'GET', each),
          ),
        );
      const before = await partOf(project);
      expect(before[0]).toMatchObject({
        total: 4,
        progress: 3,
        filter: { metadata: { split: 'test' }, sample: 4, seed: 3 },
      });
      const file = await server().export(project);
      const to = server().project();
      for (const target of [to, to, project]) {
        expect((await server().restore(target, file)).imported).toMatchObject({ eval_runs: 3 });
        expect(await partOf(target)).toEqual(before);
        expect(undated(await server().export(target))).toBe(undated(file));
      }
    });

    itOfFiles('fails a run that was not finished, with its samples and gates, until its end is imported', async () => {
      const sampled = await fill();
      const file = parsed(await server().export(sampled.project));
      const unfinished = structuredClone(file);
      const run = unfinished.eval_runs.find(({ id }) => id === sampled.repeated)!;
      const gates = (run['gates'] as Item[]).map((gate) => ({ ...gate, actual: null, passed: null }));
      Object.assign(run, {
        ...{ status: 'running', progress: 0, failed_count: 0, sample_progress: 2, failed_samples: 0, gates },
        ...{ passed: null, score_se: null, score_ci: null, score_sum: 0, score_count: 0, ended_at: null },
      });
      const isOther = ({ run_id: id }: Item): boolean => id !== sampled.repeated;
      unfinished.eval_results = unfinished.eval_results.filter(isOther);
      const [first, second] = unfinished.eval_samples.filter((sample) => !isOther(sample));
      unfinished.eval_samples = [...unfinished.eval_samples.filter(isOther), first!, second!];
      const to = server().project();
      await server().restore(to, JSON.stringify(unfinished));
      const path = `/api/eval/${sampled.repeated}`;
      const read = () => call<EvalRunSummary>(to, 'GET', `${path}?items=none`);
      expect(await read()).toMatchObject({
        ...{
          status: 'failed',
          passed: false,
          stop_reason: null,
          sample_progress: 2,
          ended_at: file.exported_at,
          gates,
        },
        error: expect.stringMatching(/^the run was not finished when it was exported/),
      });
      const { items } = await call<{ items: EvalItem[] }>(to, 'GET', `${path}/items?include=samples`);
      expect(items.map(({ status, samples }) => [status, samples!.map((sample) => sample.status)])).toEqual([
        ['pending', ['completed', 'completed', 'pending']],
        ['pending', ['pending', 'pending', 'pending']],
        ['pending', ['pending', 'pending', 'pending']],
      ]);
      await server().restore(to, JSON.stringify(file));
      expect(await shown(to, sampled)).toEqual(await shown(sampled.project, sampled));
      const changed = structuredClone(file);
      changed.eval_runs[0]!['pass_score'] = 1;
      const { body } = await server().import(to, JSON.stringify(changed));
      const id = changed.eval_runs[0]!['id'];
      const count = changed.eval_samples.filter(({ run_id: of }) => of === id).length;
      expect(body.rejected.filter(({ collection }) => collection === 'eval_samples')).toEqual(
        Array.from({ length: count }, () => expect.objectContaining({ code: 'id_conflict' })),
      );
    });

    itOfFiles('of a version whose total left judges out counts them', async () => {
      const sampled = await fill();
      const file = parsed(await server().export(sampled.project));
      const runs = file.eval_runs.filter(({ id }) => id === sampled.external);
      for (const run of runs) {
        delete run['call_cost'];
        Object.assign(run, { total_cost: 0.5, cost_count: 1, judge_cost: 0.25, judge_cost_count: 1 });
      }
      const to = server().project();
      await server().restore(to, JSON.stringify({ ...file, eval_runs: runs, eval_results: [], eval_samples: [] }));
      const costs = { total_cost: 0.75, call_cost: 0.5, judge_cost: 0.25 };
      expect(await call<EvalRunSummary>(to, 'GET', `/api/eval/${sampled.external}?items=none`)).toMatchObject(costs);
      const again = server().project();
      await server().restore(again, await server().export(to));
      expect(await call<EvalRunSummary>(again, 'GET', `/api/eval/${sampled.external}?items=none`)).toMatchObject(costs);
    });

    itOfFiles('of a version that knew none has runs that tried each datapoint once', async () => {
      const sampled = await fill();
      const file = parsed(await server().export(sampled.project));
      const runs = file.eval_runs.filter(({ id }) => id === sampled.repeated);
      for (const run of runs) for (const member of NEW_MEMBERS) delete run[member];
      const results = file.eval_results.filter(({ run_id: id }) => id === sampled.repeated);
      for (const result of results) for (const member of ['scores', 'span_id', 'metadata']) delete result[member];
      const { eval_samples: _samples, ...others } = file;
      const to = server().project();
      const old = JSON.stringify({ ...others, eval_runs: runs, eval_results: results });
      for (let time = 0; time < 2; time++)
        expect((await server().restore(to, old)).imported).toMatchObject({ eval_runs: 1 });
      const run = await call<EvalRunResource>(to, 'GET', `/api/eval/${sampled.repeated}`);
      const scorer = {
        name: 'Contains',
        scoring: 'Contains',
        scoring_config: null,
        judge: null,
        weight: 1,
        pass_score: 1,
      };
      expect(run).toMatchObject({
        ...{ status: 'completed', execution: 'server', repeats: 1, sample_progress: 3, sample_total: 3 },
        ...{
          failed_samples: run.failed_count,
          scorers: [scorer],
          gates: [],
          passed: null,
          metadata: {},
          score_se: null,
        },
      });
      expect(run.result_items.map(({ samples, scores }) => [samples, Object.keys(scores)])).toEqual(
        Array.from({ length: 3 }, () => [null, ['Contains']]),
      );
    });
  });
}
