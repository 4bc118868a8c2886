/** Capture rules of the started program: through the gateway, and with kill -9 between an answer and its captures. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import type { CaptureRuleResource, DatapointResource, DatasetResource } from '@spandrel/contract';
import Database from 'better-sqlite3';
import { startFakeProvider, type FakeProvider } from './fake-provider/start-fake-provider.ts';
import { Api } from './support/api.ts';
import { freePort } from './support/ports.ts';
import { startSpandrel, tempDir, until, type Spandrel } from './support/spandrel.ts';

const KILLS = 7;
const WRITERS = 8;

let provider: FakeProvider | undefined;
let spandrel: Spandrel | undefined;
afterEach(() => spandrel?.stop('SIGKILL'));
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

describe('traffic through the gateway', () => {
  it('fills a dataset', async () => {
    provider = await startFakeProvider();
    spandrel = await startSpandrel({ env: { SPANDREL_OPENAI_BASE_URL: provider.url } });
    const api = new Api(spandrel.apiUrl);
    const datasetId = await newDataset(api);
    const rule = await newRule(api, datasetId, {
      filters: { provider: 'openai', model: 'gpt-4o', status: 'completed' },
    });
    const ask = async (model: string, content: string): Promise<void> => {
      const answer = await fetch(`${spandrel!.gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
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
    expect(await spandrel.stop()).toBe(0);
  });
});

describe('kill -9 of the server right after answers', () => {
  it(`leaves exactly one datapoint for every span and rule, in ${KILLS} kills`, async () => {
    const place = { command: 'server' as const, port: await freePort(), dataDir: tempDir() };
    spandrel = await startSpandrel(place);
    const api = new Api(spandrel.apiUrl);
    const datasetId = await newDataset(api);
    const rules = [
      await newRule(api, datasetId, { filters: { name_contains: 'WANTED' } }),
      await newRule(api, datasetId, { filters: { tag: 'wanted' } }),
      await newRule(api, await newDataset(api), { filters: { kind: 'custom', status: 'completed' }, sample_rate: 0.5 }),
    ];
    const acknowledged: string[] = [];
    let unfinished = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      if (kill > 0) spandrel = await startSpandrel(place);
      let running = true;
      const writers = Array.from({ length: WRITERS }, (_, writer) =>
        write(api, `k${kill}w${writer}`, () => running, acknowledged),
      );
      // Now and then right after the start, while what the last kill left is worked off.
      const wanted = acknowledged.length + (kill % 5 === 4 ? 1 : 10 + ((kill * 37) % 60));
      await until(() => acknowledged.length >= wanted);
      await spandrel.stop('SIGKILL');
      running = false;
      await Promise.all(writers);
      unfinished += countRows(place.dataDir, 'select count(*) from capture_task') > 0 ? 1 : 0;
    }
    // Otherwise this test has not seen what it is for.
    expect(unfinished).toBeGreaterThan(KILLS / 3);
    expect(acknowledged.length).toBeGreaterThan(KILLS * 10);
    spandrel = await startSpandrel(place);
    await until(() => countRows(place.dataDir, 'select count(*) from capture_task') === 0, 20_000);
    for (const rule of rules) {
      const path = `/api/datasets/${rule.dataset_id}/capture-rules/${rule.id}`;
      const count = (await api.get<CaptureRuleResource>(path)).body.captured_count;
      expect(count).toBe(countRows(place.dataDir, `select count(*) from capture where rule_id = '${rule.id}'`));
    }
    expect(await spandrel.stop()).toBe(0);
    expectEachOnce(place.dataDir, rules, acknowledged);
  }, 120_000);
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

function query<Row>(dataDir: string, statement: string): Row[] {
  const db = new Database(join(dataDir, 'spandrel.db'), { readonly: true });
  try {
    return db.prepare(statement).raw().all() as Row[];
  } finally {
    db.close();
  }
}

const countRows = (dataDir: string, statement: string): number => query<[number]>(dataDir, statement)[0]![0];

/** Every finished span, acknowledged or not, has one datapoint for each rule without a sample, and no other has any. */
function expectEachOnce(dataDir: string, rules: readonly CaptureRuleResource[], acknowledged: readonly string[]): void {
  const finished = query<[string]>(dataDir, 'select id from span where status <> 0 order by id').map(([id]) => id);
  expect(finished).toEqual(expect.arrayContaining([...acknowledged]));
  const [first, second, sampled] = rules.map(({ id }) =>
    query<[string, string]>(
      dataDir,
      `select c.span_id, p.source_span_id from capture c join datapoint p on p.id = c.datapoint_id
        where c.rule_id = '${id}' order by c.span_id`,
    ),
  );
  const each = finished.map((id) => [id, id]);
  expect(first).toEqual(each);
  expect(second).toEqual(each);
  expect(countRows(dataDir, 'select count(*) from datapoint')).toBe(2 * finished.length + sampled!.length);
  expect(sampled!.length / finished.length).toBeGreaterThan(0.4);
  expect(sampled!.length / finished.length).toBeLessThan(0.6);
  for (const { dataset_id: datasetId } of rules) {
    const [dataset] = query<[number]>(dataDir, `select datapoint_count from dataset where id = '${datasetId}'`);
    expect(dataset).toEqual([countRows(dataDir, `select count(*) from datapoint where dataset_id = '${datasetId}'`)]);
  }
}
