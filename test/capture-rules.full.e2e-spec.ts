/** Capture rules of the started program: through the gateway, and with kill -9 between an answer and its captures. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { CaptureRuleResource, DatapointResource, DatasetResource } from '@spandrel/contract';
import { startFakeProvider, type FakeProvider } from './fake-provider/start-fake-provider.ts';
import type { Api } from './support/api.ts';
import type { Place, Program } from './support/places.ts';
import { until } from './support/spandrel.ts';
import { repetitions } from './support/repetitions.ts';
import { describeOnBothDatabases } from './support/databases.ts';

const KILLS = repetitions(6);
const WRITERS = 8;

let provider: FakeProvider | undefined;
beforeAll(async () => {
  provider = await startFakeProvider();
});
afterAll(() => provider?.close());

async function newDataset(api: Api): Promise<string> {
  const { status, body } = await api.post<DatasetResource>('/api/datasets', { name: 'captured' });
  expect(status).toBe(201);
  return body.id;
}

async function newRule(api: Api, datasetId: string, rule: object): Promise<CaptureRuleResource> {
  const path = `/api/datasets/${datasetId}/capture-rules`;
  const { status, body } = await api.post<CaptureRuleResource>(path, { name: 'rule', ...rule });
  expect(status).toBe(201);
  return body;
}

describeOnBothDatabases('capture rules', ({ takePlace }) => {
  let place: Place | undefined;
  let program: Program;
  beforeAll(async () => {
    place = await takePlace();
    program = await place.start({ env: { SPANDREL_OPENAI_BASE_URL: provider!.url } });
  });
  afterAll(() => place?.close());

  it('fill a dataset with traffic through the gateway', async () => {
    const { api, gatewayUrl } = program;
    const datasetId = await newDataset(api);
    const rule = await newRule(api, datasetId, {
      filters: { provider: 'openai', model: 'gpt-4o', status: 'completed' },
    });
    const ask = async (model: string, content: string): Promise<void> => {
      const answer = await fetch(`${gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json', ...place!.gatewayHeaders },
        body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
      });
      await answer.arrayBuffer();
    };
    const questions = Array.from({ length: 40 }, (_, n) => `question ${n}`);
    await Promise.all([
      ...questions.map((question) => ask('gpt-4o', question)),
      ...questions.map((question) => ask('gpt-4o-mini', question)),
      ask('fake:error-500', 'fails'),
    ]);
    const path = `/api/datasets/${datasetId}/capture-rules/${rule.id}`;
    const captured = async (): Promise<number> => (await api.get<CaptureRuleResource>(path)).body.captured_count;
    await until(async () => (await captured()) >= questions.length);
    await until(async () => (await api.spans()).length === 2 * questions.length + 1);
    await sleep(200);
    expect(await captured()).toBe(questions.length);
    const { body } = await api.get<{ datapoints: DatapointResource[] }>(`/api/datasets/${datasetId}/datapoints`);
    const asked = body.datapoints.map(({ kind }) =>
      'LlmConversation' in kind ? [kind.LlmConversation.messages.at(-1)?.content, kind.LlmConversation.expected] : kind,
    );
    const expected = questions.map((question) => [question, `You said: ${question}`]);
    expect(asked.sort()).toEqual(expected.sort());
    expect((await api.delete(`/api/datasets/${datasetId}`)).status).toBe(200);
    expect((await api.delete('/api/traces')).status).toBe(200);
  });

  it(`leave exactly one datapoint for every span and rule, in ${KILLS} kills -9 right after answers`, async () => {
    const { api } = program;
    const count = async (sql: string): Promise<number> =>
      Number((await place!.rows<{ n: number | string }>(sql))[0]!.n);
    const openTasks = () => count('select count(*) as n from capture_task');
    const datasetId = await newDataset(api);
    const rules = [
      await newRule(api, datasetId, { filters: { name_contains: 'WANTED' } }),
      await newRule(api, datasetId, { filters: { tag: 'wanted' } }),
      await newRule(api, await newDataset(api), { filters: { kind: 'custom', status: 'completed' }, sample_rate: 0.5 }),
    ];
    const acknowledged: string[] = [];
    let unfinished = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      if (kill > 0) program = await place!.start({ command: 'server' });
      let running = true;
      const writers = Array.from({ length: WRITERS }, (_, writer) =>
        write(api, `k${kill}w${writer}`, () => running, acknowledged),
      );
      // Once right after the start, while what the last kill left is worked off.
      const wanted = acknowledged.length + (kill === 2 ? 1 : 10 + ((kill * 37) % 60));
      await until(() => acknowledged.length >= wanted);
      await program.stop('SIGKILL');
      running = false;
      await Promise.all(writers);
      unfinished += (await openTasks()) > 0 ? 1 : 0;
    }
    // Otherwise this test has not seen what it is for.
    expect(unfinished).toBeGreaterThan(KILLS / 3);
    expect(acknowledged.length).toBeGreaterThan(KILLS * 10);
    program = await place!.start({ command: 'server' });
    await until(async () => (await openTasks()) === 0, 20_000);
    for (const rule of rules) {
      const path = `/api/datasets/${rule.dataset_id}/capture-rules/${rule.id}`;
      const captured = (await api.get<CaptureRuleResource>(path)).body.captured_count;
      expect(captured).toBe(await count(`select count(*) as n from capture where rule_id = '${rule.id}'`));
    }
    expect(await program.stop()).toBe(0);
    await expectEachOnce(place!, rules, acknowledged);
  });
});

/** Ends spans until the server is gone, one by one and in bulk, noting what it acknowledged. */
async function write(api: Api, name: string, goesOn: () => boolean, acknowledged: string[]): Promise<void> {
  try {
    await api.post('/api/traces', { id: name, tags: ['wanted'] });
    for (let n = 0; goesOn(); n++) {
      const id = `${name}-${n}`;
      if (n % 3 === 2) {
        const spans = [1, 2, 3].map((m) => ({ id: `${id}-${m}`, trace_id: name, name: 'wanted', status: 'completed' }));
        const { status } = await api.post('/api/ingest', { spans });
        if (status === 200) acknowledged.push(...spans.map((span) => span.id));
      } else {
        await api.post('/api/spans', { id, trace_id: name, name: 'wanted', input: id });
        const { status } = await api.post(`/api/spans/${id}/complete`, { output: id });
        if (status === 200) acknowledged.push(id);
      }
    }
  } catch {
    // The server was killed: what was on its way has not been acknowledged.
  }
}

/** Every finished span, acknowledged or not, has one datapoint for each rule without a sample, and no other has any. */
async function expectEachOnce(
  place: Place,
  rules: readonly CaptureRuleResource[],
  acknowledged: readonly string[],
): Promise<void> {
  const finished = (await place.rows<{ id: string }>('select id from span where status <> 0')).map(({ id }) => id);
  expect(finished).toEqual(expect.arrayContaining([...acknowledged]));
  const captures = await place.rows<{ rule: string; span: string; source: string }>(
    `select c.rule_id as rule, c.span_id as span, p.source_span_id as source
      from capture c join datapoint p on p.id = c.datapoint_id`,
  );
  const [first, second, sampled] = rules.map(({ id }) =>
    captures.filter(({ rule }) => rule === id).map(({ span, source }) => [span, source]),
  );
  const each = finished.map((id) => [id, id]).toSorted();
  expect(first!.toSorted()).toEqual(each);
  expect(second!.toSorted()).toEqual(each);
  // Half of them, within four standard deviations.
  expect(Math.abs(sampled!.length / finished.length - 0.5)).toBeLessThan(2 / Math.sqrt(finished.length));
  const datapoints = await place.rows<{ dataset: string }>('select dataset_id as dataset from datapoint');
  expect(datapoints).toHaveLength(2 * finished.length + sampled!.length);
  const counts = await place.rows<{ id: string; n: number | string }>('select id, datapoint_count as n from dataset');
  for (const { id, n } of counts) expect(Number(n)).toBe(datapoints.filter(({ dataset }) => dataset === id).length);
}
