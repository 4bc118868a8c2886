/** Costs of spans over HTTP: who reported them, what they are made of, by which prices (docs/spec/recording.md#price). */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Problem, SpanCost, SpanResource } from '@spandrel/contract';
import { Api } from '../support/api.ts';
import { runSpandrel, startSpandrel, tempDir, until, type Spandrel } from '../support/spandrel.ts';

type CostedSpan = SpanResource & { cost: SpanCost };

const PARTS_OF_CALL = [
  { part: 'input', quantity: 600, unit_price: 2.5, per: 1_000_000, cost: 0.0015 },
  { part: 'cached', quantity: 400, unit_price: 1.25, per: 1_000_000, cost: 0.0005 },
  { part: 'output', quantity: 100, unit_price: 10, per: 1_000_000, cost: 0.001 },
];

describe('costs of spans', () => {
  const priceFile = join(tempDir(), 'prices.json');
  let spandrel: Spandrel;
  let api: Api;
  let spans = 0;

  const write = (models: object): void => {
    writeFileSync(`${priceFile}.new`, JSON.stringify({ models }));
    renameSync(`${priceFile}.new`, priceFile);
  };
  /** A finished span, ingested. */
  const ingested = async (kind: object, metadata: object = {}): Promise<SpanResource> => {
    const id = `span-${++spans}`;
    const item = { id, trace_id: 't', name: 'n', kind, metadata, status: 'completed' };
    const { body } = await api.post<{ rejected: unknown[] }>('/api/ingest', { traces: [{ id: 't' }], spans: [item] });
    expect(body.rejected).toEqual([]);
    return (await api.get<SpanResource>(`/api/spans/${id}`)).body;
  };
  const costOf = async (id: string): Promise<SpanCost> =>
    (await api.get<CostedSpan>(`/api/spans/${id}?include=cost`)).body.cost;

  const call = {
    ...{ type: 'llm_call', model: 'gpt-4o', provider: 'openai' },
    ...{ input_tokens: 1_000, cached_input_tokens: 400, output_tokens: 100 },
  };

  beforeAll(async () => {
    write({ 'new-model': { input: 1, output: 2 } });
    spandrel = await startSpandrel({ command: 'server', env: { SPANDREL_PRICING_FILE: priceFile } });
    api = new Api(spandrel.apiUrl);
  });
  afterAll(() => spandrel?.stop());

  it('say who reported them', async () => {
    const sourceOf = async (kind: object, metadata?: object) => {
      const { metadata: shown, kind: shownKind } = await ingested(kind, metadata);
      return [shown['cost_source'], shown['cost'], shownKind['cost']];
    };
    expect(await sourceOf(call)).toEqual(['table', 0.003, 0.003]);
    expect(await sourceOf({ ...call, cost: 7 })).toEqual(['sender', 7, 7]);
    expect(await sourceOf({ ...call, cost: 7 }, { cost_source: 'provider' })).toEqual(['provider', 7, 7]);
    expect(await sourceOf({ ...call, cost: 7 }, { cost_source: 'table' })).toEqual(['sender', 7, 7]);
    expect(await sourceOf(call, { cost_source: 'provider' })).toEqual(['table', 0.003, 0.003]);
    expect(await sourceOf({ ...call, model: 'x' }, { cost_source: 'provider' })).toEqual([null, null, null]);
    expect(await sourceOf({ type: 'tool_call', cost: 1 })).toEqual(['sender', 1, 1]);
  });

  it('say so in lists, outlines and traces, too', async () => {
    const { id } = await ingested({ ...call, cost: 7 }, { cost_source: 'provider', mine: 1 });
    const [whole] = await api.spans(`ids=${id}`);
    expect(whole?.metadata).toEqual({ mine: 1, cost_source: 'provider', duration_ms: 0, total_tokens: 1_100, cost: 7 });
    const { body } = await api.get<{ spans: SpanResource[] }>(`/api/spans?view=outline&ids=${id}`);
    expect(body.spans[0]?.metadata).toEqual({ duration_ms: 0, total_tokens: 1_100, cost: 7, cost_source: 'provider' });
  });

  it('follow a span that is corrected', async () => {
    const { id } = await ingested({ ...call, cost: 7 }, { cost_source: 'provider' });
    const correct = async (kind: object, metadata: object) => {
      await api.post('/api/ingest', { spans: [{ id, trace_id: 't', name: 'n', kind, metadata, status: 'completed' }] });
      const { metadata: shown } = (await api.get<SpanResource>(`/api/spans/${id}`)).body;
      return [shown['cost_source'], shown['cost']];
    };
    expect(await correct({ ...call, cost: 8 }, { a: 1 })).toEqual(['sender', 8]);
    expect(await correct(call, { cost_source: 'provider' })).toEqual(['table', 0.003]);
    expect(await correct({ ...call, cost: 9 }, { cost_source: 'provider' })).toEqual(['provider', 9]);
  });

  it('are counted for a span that is completed later', async () => {
    const { body: trace } = await api.post<{ id: string }>('/api/traces', {});
    const create = async () =>
      (await api.post<{ id: string }>('/api/spans', { trace_id: trace.id, name: 'n', kind: call })).body.id;
    const complete = async (body: object) =>
      (await api.post<SpanResource>(`/api/spans/${await create()}/complete`, body)).body.metadata['cost_source'];
    const running = await create();
    expect((await api.get<SpanResource>(`/api/spans/${running}`)).body.metadata).toEqual({});
    expect(await costOf(running)).toEqual({ total: null, source: null, parts: null, reason: 'the span is running' });
    expect(await complete({})).toBe('table');
    expect(await complete({ kind: { ...call, cost: 1 } })).toBe('sender');
    expect(await complete({ kind: { ...call, cost: 1 }, metadata: { cost_source: 'provider' } })).toBe('provider');
  });

  it('show what they are made of', async () => {
    const { id } = await ingested(call);
    const { body } = await api.get<CostedSpan>(`/api/spans/${id}?include=cost`);
    const { cost, ...span } = body;
    expect(span).toEqual((await api.get(`/api/spans/${id}`)).body);
    expect(cost).toEqual({
      ...{ total: 0.003, source: 'table', model: 'gpt-4o', service_tier: null },
      ...{ price_source: expect.stringMatching(/^@pydantic\/genai-prices /), parts: PARTS_OF_CALL },
    });
  });

  it('have the price of a service tier, of writing to a cache, and of searches', async () => {
    const { id } = await ingested({
      ...{ type: 'llm_call', model: 'claude-haiku-4-5', input_tokens: 10_000, cache_write_tokens: 3_000 },
      ...{ cache_write_1h_tokens: 1_000, output_tokens: 100, web_search_requests: 2, service_tier: 'batch' },
    });
    const { total, service_tier, parts } = await costOf(id);
    expect([total, service_tier]).toEqual([0.026, 'batch']);
    expect(parts!.map(({ part, quantity, cost }) => [part, quantity, cost])).toEqual([
      ['input', 7_000, 0.0035],
      ['cache_write', 2_000, 0.00125],
      ['cache_write_1h', 1_000, 0.001],
      ['output', 100, 0.00025],
      ['web_search', 2, 0.02],
    ]);
  });

  it('have no parts where they were reported, and none with a reason where there is no price', async () => {
    const { id: reported } = await ingested({ ...call, cost: 7 }, { cost_source: 'provider' });
    expect(await costOf(reported)).toEqual({ total: 7, source: 'provider', parts: [] });
    const { id: unpriced } = await ingested({ ...call, model: 'no-such-model' });
    expect(await costOf(unpriced)).toEqual({
      ...{ total: null, source: null, parts: null, reason: 'no price for model "no-such-model"' },
    });
  });

  it('are refused by another value of include, and are not there for a span that is not', async () => {
    const { id } = await ingested(call);
    const { status, body } = await api.unchecked.get<Problem>(`/api/spans/${id}?include=costs`);
    expect([status, body.code]).toEqual([400, 'validation_failed']);
    expect((await api.get(`/api/spans/none?include=cost`)).status).toBe(404);
  });

  it('are those of embeddings as of calls', async () => {
    const kind = { type: 'embedding', model: 'text-embedding-3-small', input_tokens: 5_000 };
    const span = await ingested(kind);
    expect(span.kind).toEqual({ ...kind, cost: 0.0001 });
    expect(span.metadata).toMatchObject({ cost: 0.0001, cost_source: 'table', total_tokens: 5_000 });
    expect((await ingested({ ...kind, model: 'x' })).kind).toEqual({ ...kind, model: 'x' });
    expect((await costOf(span.id)).parts).toHaveLength(1);
  });

  it('come back from an export as they were, reported or counted', async () => {
    const before = await Promise.all([
      ingested(call),
      ingested({ ...call, cost: 7 }),
      ingested({ ...call, cost: 7 }, { cost_source: 'provider' }),
      ingested({ ...call, model: 'x' }),
      ingested({ type: 'embedding', model: 'text-embedding-3-small', input_tokens: 5_000 }),
    ]);
    const { body: file } = await api.get<{ spans: SpanResource[] }>('/api/export/json');
    // A cost that was counted where the file comes from is not counted again, whatever the prices here are.
    const counted = file.spans.find(({ id }) => id === before[0]!.id)!;
    counted.kind['cost'] = 0.5;
    await api.delete('/api/traces/t');
    expect((await api.post('/api/import/json', file)).status).toBe(200);
    const after = await Promise.all(before.map(({ id }) => api.get<SpanResource>(`/api/spans/${id}`)));
    expect(after.map(({ body }) => [body.kind['cost'], body.metadata['cost'], body.metadata['cost_source']])).toEqual([
      [0.5, 0.5, 'table'],
      [7, 7, 'sender'],
      [7, 7, 'provider'],
      [null, null, null],
      [0.0001, 0.0001, 'table'],
    ]);
    expect(await costOf(before[0]!.id)).toMatchObject({ total: 0.5, source: 'table', parts: [] });
    const { body: again } = await api.get<{ spans: SpanResource[] }>('/api/export/json');
    await api.post('/api/import/json', again);
    expect((await api.get<{ spans: SpanResource[] }>('/api/export/json')).body.spans).toEqual(again.spans);
  });

  it('are counted by a price file as it is now', async () => {
    const newCall = { type: 'llm_call', model: 'new-model', input_tokens: 1_000_000 };
    const first = await ingested(newCall);
    expect(first.metadata['cost']).toBe(1);
    expect(await costOf(first.id)).toMatchObject({ price_source: 'pricing.file', total: 1 });
    write({ 'new-model': { input: 3, output: 2 } });
    await until(async () => (await ingested(newCall)).metadata['cost'] === 3, 20_000);
    expect(await costOf(first.id)).toEqual({
      ...{ total: 1, source: 'table', model: 'new-model', service_tier: null, price_source: null, parts: [] },
      reason: 'the price of "new-model" was another one',
    });
    writeFileSync(priceFile, '{"models":{"new-model":{"input":-3}}}');
    await until(() => /pricing\.file cannot be taken/.test(spandrel.output()), 20_000);
    expect((await ingested(newCall)).metadata['cost']).toBe(3);
  });
});

it('a price file that is wrong refuses the start, with the place', async () => {
  const file = join(tempDir(), 'wrong.json');
  writeFileSync(file, '{"models":{"m":{"input":"1","output":2}}}');
  const { code, output } = await runSpandrel(['server', '--data-dir', tempDir()], { SPANDREL_PRICING_FILE: file });
  expect([code, output]).toEqual([
    expect.any(Number),
    expect.stringContaining('models.m.input: must be a number from 0'),
  ]);
  expect(code).not.toBe(0);
});
