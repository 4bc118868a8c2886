/** Values planted wherever texts come in come to rest nowhere: no table, event, export, log or file of the spool. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { EvalRunResource, MaskingResource, SpanResource, TraceListItem } from '@spandrel/contract';
import { describeOnBothDatabases } from '../support/databases.ts';
import type { Place, Program } from '../support/places.ts';
import { until } from '../support/spandrel.ts';
import { uploadRaw } from '../support/upload.ts';
import { protobufRequest, PROTOBUF } from '../otlp/otlp-door.ts';
import { keptCalls } from '../gateway/support/spool-files.ts';
import { startLeakyModel, type LeakyModel } from './leaky-model.ts';

/** Written in two parts, so that no scanner of repositories takes it for a key. */
const KEY = ['sk', 'proj-a1B2c3D4e5F6g7H8i9J0k1L2m3N4'].join('-');
/** Each place has an address of its own, so that a find says where it came from. */
const address = (place: string): string => `jane.${place}@planted.example`;
const text = (place: string): string =>
  `I am ${address(place)}, card 4111 1111 1111 1111, call +49 30 9018201, IBAN DE89 3704 0044 0532 0130 00, ` +
  `from 203.0.113.77, key ${KEY}, staff EMP-123456`;
const NEEDLES = [
  '@planted',
  '4111 1111',
  '4111111111111111',
  '9018201',
  '0044 0532',
  '203.0.113.77',
  KEY,
  'EMP-123456',
];

const RULES = [
  { masker: 'email', replace: 'hash' },
  ...['phone', 'card', 'iban', 'ip', 'secret'].map((masker) => ({ masker })),
  { masker: 'pattern', label: 'staff', config: { pattern: 'EMP-\\d{6}' } },
];

/** What of the planted values a text or the bytes of a file hold. */
function foundIn(kept: Buffer | string): string[] {
  const bytes = typeof kept === 'string' ? Buffer.from(kept) : kept;
  return (['utf8', 'utf16le'] as const).flatMap((encoding) =>
    NEEDLES.filter((needle) => bytes.includes(needle, 0, encoding)).map((needle) => {
      const read = bytes.toString(encoding);
      const at = read.indexOf(needle);
      return read.slice(Math.max(0, at - 40), at + 30);
    }),
  );
}

describeOnBothDatabases('a value that rules mask', ({ takePlace }) => {
  let model: LeakyModel;
  let place: Place;
  let program: Program;
  let masking: string;
  let dataset: string;
  let spoolDir: string;

  const made = async (path: string, body: unknown): Promise<string> => {
    const answer = await program.api.post<{ id: string }>(path, body);
    expect([path, answer.status, JSON.stringify(answer.body)]).toEqual([path, 201, expect.anything()]);
    return answer.body.id;
  };
  /** What of the planted values is kept, each with the name of its file or table. */
  const kept = async (): Promise<string[]> =>
    (await place.contents()).flatMap(([name, bytes]) => foundIn(bytes).map((found) => `${name}: ${found}`));
  const chat = (headers: Record<string, string>, stream: boolean): Promise<Response> =>
    fetch(`${program.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...place.gatewayHeaders, ...headers },
      body: JSON.stringify({
        model: 'gpt-4o',
        stream,
        user: address('parameter'),
        messages: [{ role: 'user', content: text('asked') }],
      }),
    });

  beforeAll(async () => {
    model = await startLeakyModel(text('answered'));
    place = await takePlace();
    spoolDir = join(place.dataDir, 'spool');
    program = await place.start({
      env: {
        SPANDREL_LOG_LEVEL: 'trace',
        SPANDREL_ACCESS_LOG: 'true',
        SPANDREL_OPENAI_BASE_URL: model.url,
        SPANDREL_SPOOL_DIR: spoolDir,
      },
    });
    const project = place.mode === 'local' ? 'local' : await ownProject(program);
    masking = `/api/projects/${project}/masking`;
    const put = await program.api.send<MaskingResource>('PUT', masking, { rules: RULES });
    expect(put.status).toBe(200);
    // The gateway may show what it had before for 0.8 s.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  });
  afterAll(async () => {
    await place?.close();
    model?.close();
  });

  it('is by rules that are shown as they were given', async () => {
    const { status, body } = await program.api.get<MaskingResource>(masking);
    expect([status, body]).toMatchObject([200, { rules: RULES, updated_at: expect.any(String) }]);
    expect(await program.api.get('/api/projects/nothing/masking')).toMatchObject({ status: 404 });
  });

  it('is kept of no trace and no span that programs send', async () => {
    const trace = await made('/api/traces', {
      name: text('trace-name'),
      user_id: address('same'),
      session_id: address('session'),
      tags: [address('tag')],
      metadata: { [address('metadata-name')]: [text('metadata')] },
    });
    await program.api.patch(`/api/traces/${trace}`, { name: text('patched'), metadata: { card: 4111111111111111 } });
    const span = async (body: object): Promise<string> =>
      made('/api/spans', { trace_id: trace, name: 'step', ...body });
    const completed = await span({
      name: text('span-name'),
      input: { nested: [{ deep: text('input') }], json: '{"card":4111111111111111,"n":1}' },
      metadata: { note: text('span-metadata') },
      kind: { type: 'tool_call', arguments: { to: text('kind') } },
    });
    await program.api.post(`/api/spans/${completed}/complete`, {
      output: text('output'),
      metadata: { x: text('late') },
    });
    const failed = await span({ input: text('failed-input') });
    await program.api.post(`/api/spans/${failed}/fail`, { error: text('error'), output: [text('partial')] });
    const ingested = await program.api.post('/api/ingest', {
      traces: [{ id: 'bulk', name: text('bulk-trace'), defaults: { name: text('default') } }],
      spans: [
        {
          id: 'bulk-1',
          trace_id: 'bulk',
          name: text('bulk-name'),
          input: text('bulk-in'),
          output: text('bulk-out'),
          status: { failed: { error: text('bulk-error') } },
        },
        { id: 'bulk-2', trace_id: 'bulk', name: 'x', error: text('bulk-error-2'), ended_at: new Date().toISOString() },
      ],
    });
    expect(ingested.body).toMatchObject({ accepted: { traces: 1, spans: 2 }, rejected: [] });
    const { body } = await program.api.get<SpanResource>(`/api/spans/${completed}`);
    expect(body.output).toMatch(
      /^I am \[email:[a-p]{20}\], card \[card\], call \[phone\], IBAN \[iban\], from \[ip\], key \[secret\], staff \[staff\]$/,
    );
    expect(body.input).toMatchObject({ json: '{"card":"[card]","n":1}' });
    expect(body.kind.type).toBe('tool_call');
    expect((await program.api.get<TraceListItem>(`/api/traces/${trace}`)).body).toMatchObject({
      trace: { metadata: { card: '[card]' } },
    });
    expect(await kept()).toEqual([]);
  });

  it('is kept of no export of OpenTelemetry', async () => {
    const attribute = (key: string, value: string): object => ({ key, value: { stringValue: value } });
    const ids = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
    const nanos = (ms: number): string => String(BigInt(Date.now() + ms) * 1_000_000n);
    const send = async (path: string, body: object): Promise<void> => {
      const answer = await fetch(`${program.apiUrl}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...place.headers },
        body: JSON.stringify(body),
      });
      expect([path, answer.status]).toEqual([path, 200]);
    };
    const record = {
      ...ids,
      timeUnixNano: nanos(5),
      eventName: 'gen_ai.user.message',
      attributes: [attribute('gen_ai.system', 'openai')],
      body: { kvlistValue: { values: [attribute('content', text('log')), attribute('role', 'user')] } },
    };
    // Before its span, for which it waits in a table of its own.
    await send('/v1/logs', { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] });
    expect(await kept()).toEqual([]);
    const span = {
      ...ids,
      name: text('otel-name'),
      kind: 3,
      startTimeUnixNano: nanos(0),
      endTimeUnixNano: nanos(10),
      attributes: [
        attribute('gen_ai.operation.name', 'chat'),
        attribute('gen_ai.request.model', 'gpt-4o'),
        attribute('gen_ai.prompt', text('otel-prompt')),
        attribute('user.id', address('same')),
        attribute('custom', text('otel-attribute')),
      ],
      events: [{ name: 'note', timeUnixNano: nanos(1), attributes: [attribute('said', text('otel-event'))] }],
      status: { code: 2, message: text('otel-status') },
    };
    const resource = { attributes: [attribute('service.name', 'app'), attribute('host', text('otel-resource'))] };
    await send('/v1/traces', { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 's' }, spans: [span] }] }] });
    const binary = protobufRequest({
      ...span,
      traceId: '1'.repeat(32),
      spanId: '2'.repeat(16),
      name: text('protobuf'),
    });
    expect(foundIn(binary)).not.toEqual([]);
    const answer = await fetch(`${program.apiUrl}/v1/traces`, {
      method: 'POST',
      headers: { ...PROTOBUF, ...place.headers },
      body: new Uint8Array(binary),
    });
    expect(answer.status).toBe(200);
    const stored = await program.api.get<SpanResource>(`/api/spans/${'2'.repeat(16)}`);
    expect(stored.body.name).toContain('card [card]');
    expect(await kept()).toEqual([]);
  });

  it('passes the gateway unchanged and is kept of no call, while it runs and afterwards', async () => {
    const user = { 'x-spandrel-user-id': address('same'), 'x-spandrel-name': text('call-name').slice(0, 200) };
    expect(await (await chat(user, false)).text()).toContain(text('answered'));
    expect((await chat({ 'x-refuse': '1', ...user }, false)).status).toBe(400);
    const streaming = (await chat({ 'x-wait': '1', ...user }, true)).body!.getReader();
    await streaming.read();
    await until(() => keptCalls(spoolDir).length > 0);
    expect(await kept()).toEqual([]);
    model.goOn();
    let streamed = '';
    for (let part = await streaming.read(); !part.done; part = await streaming.read()) {
      streamed += Buffer.from(part.value).toString();
    }
    expect(streamed).toContain('[DONE]');
    const spans = async (): Promise<SpanResource[]> =>
      (await program.api.get<{ spans: SpanResource[] }>('/api/spans?model=gpt-4o&provider=openai&limit=100')).body
        .spans;
    const recorded = async (): Promise<SpanResource[]> =>
      (await spans()).filter(({ metadata, status }) => 'endpoint' in metadata && status !== 'running');
    await until(async () => (await recorded()).length === 3);
    for (const { input } of await recorded()) expect(JSON.stringify(input)).toContain('card [card], call [phone]');
    expect(await kept()).toEqual([]);
  });

  it('has equal values distinguished from others by their hash, however they came', async () => {
    const { body } = await program.api.get<{ traces: TraceListItem[] }>('/api/traces?limit=100');
    const users = new Set(body.traces.flatMap(({ user_id: user }) => user ?? []));
    expect([...users]).toEqual([expect.stringMatching(/^\[email:[a-p]{20}\]$/)]);
    const [user] = users;
    const same = await program.api.get<{ count: number }>(`/api/traces?user_id=${encodeURIComponent(user!)}`);
    // Sent to the API, exported by OpenTelemetry in both encodings, and three calls of the gateway.
    expect(same.body.count).toBe(6);
  });

  it('is kept of no datapoint, result and review', async () => {
    dataset = await made('/api/datasets', { name: 'masked' });
    const kind = { Generic: { input: text('datapoint'), expected_output: text('expected'), extra: text('extra') } };
    const datapoint = await made(`/api/datasets/${dataset}/datapoints`, { kind });
    const conversation = { messages: [{ role: 'user', content: text('message') }], expected: text('answered') };
    await program.api.send('PUT', `/api/datasets/${dataset}/datapoints/${datapoint}`, {
      kind: { LlmConversation: conversation },
    });
    const rows = JSON.stringify({ input: text('imported'), expected_output: text('answered') });
    const imported = await uploadRaw(program.apiUrl, dataset, 'application/x-ndjson', rows, {
      headers: { ...place.headers },
    });
    expect(imported).toMatchObject({ status: 201, body: { imported: 1 } });
    const connection = await made('/api/provider-connections', {
      name: 'leaky',
      provider: 'custom',
      api_key: 'sk-none',
      base_url: `${model.url}/v1`,
    });
    const run = await made(`/api/datasets/${dataset}/eval`, {
      name: 'run',
      config: { connection_id: connection, model: 'gpt-4o', trace: true },
      scoring: 'Contains',
    });
    const result = async (): Promise<EvalRunResource> =>
      (await program.api.get<EvalRunResource>(`/api/eval/${run}`)).body;
    await until(async () => (await result()).status === 'completed');
    // Expected values are masked as outputs are, so that they are still found in them.
    const items = (await result()).result_items;
    expect(items.map(({ score }) => score)).toEqual([1, 1]);
    for (const { output } of items) expect(output).toContain('card [card]');
    const queued = await program.api.post<{ items: { id: string }[] }>(`/api/datasets/${dataset}/queue`, {
      datapoint_ids: [datapoint],
    });
    const item = queued.body.items[0]!.id;
    await program.api.post(`/api/queue/${item}/claim`, { claimed_by: place.caller });
    const submitted = await program.api.post(`/api/queue/${item}/submit`, {
      edited_data: { Generic: { input: text('edited') } },
    });
    expect(submitted.status).toBe(200);
    expect(await kept()).toEqual([]);
  });

  it('is in no export, no event, no log, and comes back by no import', async () => {
    const exported = await fetch(`${program.apiUrl}/api/export/json`, { headers: { ...place.headers } });
    const file = await exported.text();
    expect(file).toContain('[card]');
    expect(foundIn(file)).toEqual([]);
    expect(foundIn(program.output())).toEqual([]);
    // A file that was exported before there were rules.
    const [mark] = /\[email:[a-p]{20}\]/.exec(file)!;
    const before = file.replaceAll('[card]', '4111 1111 1111 1111').replaceAll(mark, address('before'));
    expect(foundIn(before)).not.toEqual([]);
    const restored = await fetch(`${program.apiUrl}/api/import/json`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...place.headers },
      body: before,
    });
    expect([restored.status, await restored.text()]).toEqual([200, expect.stringContaining('imported')]);
    if (place.mode === 'local') {
      const files = (await place.contents()).map(([name]) => name);
      expect(files).toEqual(expect.arrayContaining(['spandrel.db', 'spandrel.db-wal']));
    }
    expect(await kept()).toEqual([]);
  });
});

async function ownProject({ api }: Program): Promise<string> {
  return (await api.get<{ project_id: string }>('/api/credential')).body.project_id;
}
