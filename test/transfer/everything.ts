import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  EXPORT_COLLECTIONS,
  type AlertResource,
  type ConnectionResource,
  type ConnectionTestResult,
  type DatapointResource,
  type EvalRunResource,
  type ExportCollection,
  type QueueItemResource,
} from '@spandrel/contract';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { until } from '../support/spandrel.ts';
import { uploadRaw } from '../support/upload.ts';
import { NONE } from './items.ts';
import { undated, type TransferServer } from './transfer-server.ts';

type Item = Record<string, unknown>;
type File = Record<ExportCollection, Item[]>;

const KEY = 'sk-canary-0123456789abcdef';

/** A project with something of everything. */
interface Filled {
  project: string;
  datasetId: string;
  connectionId: string;
}

/** @param all whether what a database has no part in is shown as well. */
export function everything(server: () => TransferServer, all: boolean): void {
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
  const restoreAll = async (project: string, file: unknown) => {
    const { status, body } = await server().import(project, typeof file === 'string' ? file : JSON.stringify(file));
    expect([status, body.detail]).toEqual([200, undefined]);
    return body;
  };

  /** Runs a dataset to its end. */
  async function run({ project, datasetId, connectionId }: Filled, scoring: string): Promise<EvalRunResource> {
    const config = { connection_id: connectionId, system_prompt: 'Be brief\0', temperature: 0.1 };
    const body = { name: `by ${scoring}`, scoring, config };
    const { id } = await call<{ id: string }>(project, 'POST', `/api/datasets/${datasetId}/eval`, body);
    const read = () => call<EvalRunResource>(project, 'GET', `/api/eval/${id}`);
    await until(async () => !['pending', 'running'].includes((await read()).status), 60_000);
    return read();
  }

  /** A dataset that changed between runs, with a file of its own, a rule that captured, and items in every state. */
  async function fill(): Promise<Filled> {
    const project = server().project();
    const { id: connectionId } = await call<{ id: string }>(project, 'POST', '/api/provider-connections', {
      ...{ name: 'fake', provider: 'openai', api_key: KEY, base_url: `${provider!.url}/v1`, default_model: 'gpt-5.1' },
    });
    const { id: datasetId } = await call<{ id: string }>(project, 'POST', '/api/datasets', { name: 'set' });
    const filled = { project, datasetId, connectionId };
    const path = `/api/datasets/${datasetId}`;
    const csv = 'input,expected\nfirst,echo\nsecond,\nthird,x\n';
    const uploaded = await uploadRaw(server().url, datasetId, 'text/csv', csv, {
      headers: { 'x-test-project': project },
    });
    expect(uploaded.status).toBe(201);
    await run(filled, 'Contains');
    const list = async () =>
      (await call<{ datapoints: DatapointResource[] }>(project, 'GET', `${path}/datapoints`)).datapoints;
    const [first, second, third] = await list();
    const edited = { Generic: { input: 'first, edited', expected_output: 'FIRST' } };
    await call(project, 'PUT', `${path}/datapoints/${first!.id}`, { kind: edited });
    await call(project, 'DELETE', `${path}/datapoints/${second!.id}`);
    const messages = [{ role: 'user', content: 'a talk' }];
    const { id: talk } = await call<{ id: string }>(project, 'POST', `${path}/datapoints`, {
      kind: { LlmConversation: { messages, expected: 'yes' } },
    });
    await run(filled, 'LlmJudge');
    await call(project, 'PUT', `${path}/datapoints/${first!.id}`, { kind: { Generic: { input: 'once more' } } });

    await call(project, 'POST', `${path}/capture-rules`, {
      ...{ name: 'calls', filters: { kind: 'llm_call', min_cost: 0 }, sample_rate: 0.5, enabled: false },
    });
    await call(project, 'POST', `${path}/capture-rules`, { name: 'all' });
    await call(project, 'POST', '/api/traces', { id: 't' });
    await call(project, 'POST', '/api/spans', { id: 's', trace_id: 't', name: 's', input: 'captured' });
    await call(project, 'POST', '/api/spans/s/complete', { output: 'o' });
    await call(project, 'POST', '/api/score-definitions', { name: 'tone', kind: 'number', max: 5 });
    const { id: score } = await call<{ id: string }>(project, 'POST', '/api/scores', {
      name: 'tone',
      value: 4,
      span_id: 's',
    });
    await call(project, 'PUT', `/api/scores/${score}`, { value: 2.5, comment: 'worse than I thought' });
    await call(project, 'POST', '/api/views', { name: 'failures', page: 'traces', query: 'status=failed' });
    const figures = [{ title: 'Cost', figure: 'cost', query: 'range=7d' }];
    await call(project, 'POST', '/api/boards', { name: 'ours', figures });
    await call(project, 'PUT', '/api/boards/quality', { figures, hidden: true });
    await call(project, 'POST', '/api/scoring-rules', {
      name: 'polite',
      enabled: false,
      scoring: 'None',
      sample_rate: 0.1,
    });
    const { id: channel } = await call<{ id: string }>(project, 'POST', '/api/alert-channels', {
      ...{ name: 'hook', kind: 'webhook', url: `${provider!.url}/${KEY}`, secret: KEY },
    });
    await call(project, 'POST', '/api/alerts', {
      ...{ name: 'dear', measure: 'cost', window: '1h', condition: { op: '>', value: 5 }, channel_ids: [channel] },
      ...{ enabled: false, filters: { user: 'u' }, group_by: 'tag', min_count: 2, for: '5m', cooldown: '1h' },
    });
    const { runs } = await call<{ runs: { id: string }[] }>(project, 'GET', `${path}/eval`);
    for (const target of [
      { target_type: 'span', target_id: 's' },
      { target_type: 'datapoint', target_id: first!.id, parent_id: datasetId },
      { target_type: 'result', target_id: first!.id, parent_id: runs[0]!.id },
    ])
      await call(project, 'POST', '/api/comments', { ...target, text: '**bold**' });
    await until(async () => (await list()).some(({ source_span_id: span }) => span === 's'));

    const ids = [first!.id, third!.id, talk];
    const { items } = await call<{ items: QueueItemResource[] }>(project, 'POST', `${path}/queue`, {
      datapoint_ids: ids,
    });
    for (const { id } of items.slice(0, 2)) {
      await call(project, 'POST', `/api/queue/${id}/claim`, { claimed_by: 'ann' });
    }
    await call(project, 'POST', `/api/queue/${items[0]!.id}/submit`, { edited_data: { '\0': [1, '\ud800'] } });
    return filled;
  }

  /** What the API shows of a filled project, runs with their items and compared. */
  async function shown(project: string, datasetId: string): Promise<unknown> {
    const path = `/api/datasets/${datasetId}`;
    const { runs } = await call<{ runs: { id: string }[] }>(project, 'GET', `${path}/eval`);
    const ids = runs.map(({ id }) => id);
    const list = await call<{ connections: ConnectionResource[] }>(project, 'GET', '/api/provider-connections');
    const rules = await call<{ scoring_rules: Item[] }>(project, 'GET', '/api/scoring-rules');
    const { alerts } = await call<{ alerts: AlertResource[] }>(project, 'GET', '/api/alerts');
    return Promise.all([
      // An export has no states.
      alerts.map(({ state: _state, state_since: _since, last_value: _value, explain: _explain, ...alert }) => alert),
      // An export has no keys.
      list.connections.map((connection) => ({ ...connection, key_status: undefined })),
      call(project, 'GET', path),
      call(project, 'GET', `${path}/datapoints`),
      call(project, 'GET', `${path}/capture-rules`),
      call(project, 'GET', `${path}/queue`),
      call(project, 'GET', '/api/score-definitions'),
      call(project, 'GET', '/api/scores'),
      call(project, 'GET', '/api/analytics/scores'),
      call(project, 'GET', '/api/views'),
      call(project, 'GET', '/api/comments'),
      call(project, 'GET', '/api/boards?hidden=true'),
      // It decides from when it came back.
      rules.scoring_rules.map((rule) => ({ ...rule, since: undefined })),
      ...ids.map((id) => call(project, 'GET', `/api/eval/${id}`)),
      call(project, 'GET', `${path}/compare?runs=${ids.slice(0, 4).join(',')}`),
    ]);
  }

  describe('an export of everything', () => {
    it('comes back as it was, runs with what they saw, claims and edits, in any order, twice and at home', async () => {
      const filled = await fill();
      const { project: from, datasetId } = filled;
      const file = await server().export(from);
      expect(file).not.toContain(KEY);
      const content = parsed(file);
      expect(EXPORT_COLLECTIONS.map((name) => [name, content[name].length])).toEqual([
        ...[
          ['traces', 1],
          ['spans', 1],
          ['datasets', 1],
          ['datapoints', 4],
          ['datapoint_versions', 3 + 4],
        ],
        ...[
          ['capture_rules', 2],
          ['connections', 1],
          ['eval_runs', 2],
          ['eval_results', 6],
          ['eval_samples', 0],
          ['eval_attempts', 0],
          ['queue_items', 3],
          ['score_definitions', 1],
          ['scores', 1],
          ['views', 1],
          ['boards', 2],
          ['scoring_rules', 1],
          ['alert_channels', 1],
          ['alerts', 2],
          ['comments', 3],
        ],
      ]);
      const before = await shown(from, datasetId);
      const all = Object.fromEntries(EXPORT_COLLECTIONS.map((name) => [name, content[name].length]));
      const reversed = JSON.stringify(Object.fromEntries(Object.entries(content).toReversed()));
      for (const [project, text] of [
        [server().project(), file],
        [server().project(), reversed],
        [from, file],
      ] as const) {
        expect((await server().restore(project, text)).imported).toEqual(all);
        expect(await shown(project, datasetId)).toEqual(before);
        expect(undated(await server().export(project))).toBe(undated(file));
        const reported = server().events.length;
        await server().restore(project, text);
        expect(undated(await server().export(project))).toBe(undated(file));
        expect(server().events).toHaveLength(reported);
      }
    });

    it('brings what was done since, beside what came before', async () => {
      const filled = await fill();
      const { project: from, datasetId } = filled;
      const to = server().project();
      await server().restore(to, await server().export(from));
      await run(filled, 'Contains');
      await server().restore(to, await server().export(from));
      expect(await shown(to, datasetId)).toEqual(await shown(from, datasetId));
      const path = `/api/datasets/${datasetId}/datapoints`;
      const { datapoints } = await call<{ datapoints: DatapointResource[] }>(from, 'GET', path);
      await call(from, 'PUT', `${path}/${datapoints[0]!.id}`, { kind: { Generic: { input: 'later' } } });
      await run(filled, 'None');
      await call(from, 'PUT', `${path}/${datapoints[0]!.id}`, { kind: { Generic: { input: 'later still' } } });
      const file = await server().export(from);
      await server().restore(to, file);
      expect(await shown(to, datasetId)).toEqual(await shown(from, datasetId));
      expect(undated(await server().export(to))).toBe(undated(file));
    });

    itOfFiles('has connections that say they need a key, and work once they have it', async () => {
      const { project: from, datasetId, connectionId } = await fill();
      const to = server().project();
      await server().restore(to, await server().export(from));
      const test = () => call<ConnectionTestResult>(to, 'POST', `/api/provider-connections/${connectionId}/test`);
      const missing = /^connection "fake" \(\w+\) was imported without its key: give it one with PUT/;
      expect(await test()).toMatchObject({ ok: false, models: null, error: expect.stringMatching(missing) });
      const failed = await run({ project: to, datasetId, connectionId }, 'None');
      expect([failed.status, failed.error]).toEqual(['failed', expect.stringMatching(missing)]);
      await call(to, 'PUT', `/api/provider-connections/${connectionId}`, { api_key: 'another' });
      expect(await test()).toMatchObject({ ok: true, error: null });
      await server().restore(to, await server().export(from));
      expect(await test()).toMatchObject({ ok: true, error: null });
      const other = parsed(await server().export(from));
      other.connections[0]!['base_url'] = 'http://127.0.0.1:9/v1';
      expect((await restoreAll(to, other)).rejected).toEqual([
        {
          ...{ collection: 'connections', index: 0, code: 'id_conflict' },
          message: expect.stringMatching(/leads to another server here, where its key stays/),
        },
      ]);
      expect(await test()).toMatchObject({ ok: true, error: null });
    });

    itOfFiles('starts no run: one that was not finished is failed, until its end is imported', async () => {
      const { project: from, datasetId } = await fill();
      const file = parsed(await server().export(from));
      const unfinished = structuredClone(file);
      const [first] = unfinished.eval_runs as [Item];
      Object.assign(first, { status: 'running', progress: 1, ended_at: null });
      unfinished.eval_results = unfinished.eval_results.filter(
        ({ run_id: id }, index) => id !== first['id'] || index === 0,
      );
      const to = server().project();
      await server().restore(to, JSON.stringify(unfinished));
      const path = `/api/eval/${String(first['id'])}`;
      const read = () => call<EvalRunResource>(to, 'GET', path);
      const run = await read();
      expect(run).toMatchObject({
        ...{ status: 'failed', progress: 1, ended_at: (file as unknown as Item)['exported_at'] },
        error: 'the run was not finished when it was exported; start another one to go on',
      });
      expect(run.result_items.map(({ status }) => status)).toEqual(['completed', 'pending', 'pending']);
      await server().restore(to, JSON.stringify({ ...unfinished, exported_at: '2030-01-01T00:00:00Z' }));
      expect(await read()).toEqual(run);
      await server().restore(to, JSON.stringify(file));
      expect(await shown(to, datasetId)).toEqual(await shown(from, datasetId));
      const late = await restoreAll(to, unfinished);
      expect(late.rejected.map(({ collection, code }) => [collection, code])).toEqual([
        ['eval_runs', 'id_conflict'],
        ['eval_results', 'id_conflict'],
      ]);
      expect(await shown(to, datasetId)).toEqual(await shown(from, datasetId));
    });

    it('leaves out, and lists, what contradicts what is here or is not whole', async () => {
      const { project: from } = await fill();
      const file = parsed(await server().export(from));
      const results = file.eval_results.length;
      const without = { ...file, datapoint_versions: [] };
      const bare = await restoreAll(server().project(), without);
      expect(bare.rejected_count).toBe(2 + results + 1);
      expect(bare.rejected.slice(0, 3).map(({ collection, code }) => [collection, code])).toEqual([
        ['eval_runs', 'snapshot_conflict'],
        ['eval_runs', 'snapshot_conflict'],
        ['eval_results', 'eval_run_not_found'],
      ]);

      const lost = { ...file, datasets: [], datapoints: [] };
      const nowhere = await restoreAll(server().project(), lost);
      expect(nowhere.imported).toEqual({
        ...NONE,
        traces: 1,
        spans: 1,
        connections: 1,
        score_definitions: 1,
        scores: 1,
        views: 1,
        boards: 2,
        scoring_rules: 1,
        alert_channels: 1,
        alerts: 2,
        comments: 1,
      });
      expect(new Set(nowhere.rejected.map(({ collection, code }) => `${collection} ${code}`))).toEqual(
        new Set([
          'datapoint_versions dataset_not_found',
          'capture_rules dataset_not_found',
          'eval_runs snapshot_conflict',
          'eval_results eval_run_not_found',
          'queue_items dataset_not_found',
          'comments dataset_not_found',
          'comments eval_run_not_found',
        ]),
      );

      const to = server().project();
      await server().restore(to, JSON.stringify(file));
      const before = undated(await server().export(to));
      const changed = structuredClone(file);
      changed.eval_runs[0]!['name'] = 'another';
      const versions = changed.datapoint_versions.filter(({ to_version: end }) => end !== null);
      (versions[0]!['datapoint'] as Item)['source_span_id'] = 'another';
      const completed = changed.queue_items.find(({ status }) => status === 'completed')!;
      completed['edited_data'] = 'another';
      const pending = changed.queue_items.find(({ status }) => status === 'pending')!;
      pending['id'] = 'another';
      const { rejected } = await restoreAll(to, changed);
      expect([...new Set(rejected.map(({ collection, code }) => `${collection} ${code}`))]).toEqual([
        'datapoint_versions snapshot_conflict',
        'eval_runs id_conflict',
        'eval_results id_conflict',
        'queue_items id_conflict',
      ]);
      expect(undated(await server().export(to))).toBe(before);
    });

    it('gives rules and open queue items the values of the file, and reports items that change', async () => {
      const { project: from, datasetId } = await fill();
      const file = await server().export(from);
      const to = server().project();
      await server().restore(to, file);
      const [rule] = parsed(file).capture_rules as [Item];
      const path = `/api/datasets/${datasetId}`;
      await call(to, 'PUT', `${path}/capture-rules/${String(rule['id'])}`, { name: 'renamed', enabled: true });
      const claimed = parsed(file).queue_items.find(({ status }) => status === 'claimed') as Item;
      await call(to, 'POST', `/api/queue/${String(claimed['id'])}/release`);
      const reported = server().events.length;
      await server().restore(to, file);
      expect(await shown(to, datasetId)).toEqual(await shown(from, datasetId));
      expect(server().events.slice(reported)).toEqual([
        { projectId: to, event: { type: 'queue_item_updated', item: claimed } },
      ]);
    });
  });
}
