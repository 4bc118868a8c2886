/** An answer goes the whole way in every form in which senders record it: recorded, listed, added to a dataset, evaluated, reviewed. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type {
  DatapointPreview,
  DatapointResource,
  EvalRunResource,
  ExportedSpans,
  QueueItemResource,
  SpanOutline,
  TraceListItem,
} from '@spandrel/contract';
import { startFakeProvider, type FakeProvider } from './fake-provider/start-fake-provider.ts';
import { ANSWER_SHAPES, askedFor, CALL_SHAPES } from './support/answer-shapes.ts';
import type { Api } from './support/api.ts';
import { takeDirectory, type Place } from './support/places.ts';
import { until } from './support/spandrel.ts';

const FORMS = Object.keys(ANSWER_SHAPES);
const questionOf = (form: string): string => `When is high water, as ${form}?`;
/** What the fake provider answers to that. */
const answerOf = (form: string): string => `You said: ${questionOf(form)}`;
const idOf = (form: string): string => `call-${FORMS.indexOf(form)}`;
const CALLED = Object.keys(CALL_SHAPES);
const kind = { type: 'llm_call', model: 'gpt-5.1', provider: 'openai' };

let provider: FakeProvider;
let place: Place;
let api: Api;
let dataset: string;
let datapoints: Map<string, DatapointResource>;

beforeAll(async () => {
  provider = await startFakeProvider();
  place = await takeDirectory();
  ({ api } = await place.start());
  const spans = [
    ...FORMS.map((form) => ({
      id: idOf(form),
      input: askedFor(questionOf(form)),
      output: ANSWER_SHAPES[form]!(answerOf(form)),
    })),
    ...CALLED.map((form, at) => ({ id: `tool-${at}`, input: askedFor(form), output: CALL_SHAPES[form] })),
  ].map((span) => ({ trace_id: `trace-${span.id}`, name: span.id, kind, status: 'completed', ...span }));
  const traces = spans.map(({ trace_id: id }) => ({ id, name: id, session_id: 'tides' }));
  const recorded = await api.post<{ rejected: unknown[] }>('/api/ingest', { traces, spans });
  expect([recorded.status, recorded.body.rejected]).toEqual([200, []]);
  dataset = (await api.post<{ id: string }>('/api/datasets', { name: 'tides' })).body.id;
  const path = `/api/datasets/${dataset}`;
  const exported = await api.post<ExportedSpans>(`${path}/export-spans`, { span_ids: spans.map(({ id }) => id) });
  expect(exported.body.rejected).toEqual([]);
  const { body } = await api.get<{ datapoints: DatapointResource[] }>(`${path}/datapoints?limit=100`);
  datapoints = new Map(body.datapoints.map((datapoint) => [datapoint.source_span_id!, datapoint]));
});

afterAll(async () => {
  await place?.close();
  await provider?.close();
});

describe('the answer of a call', () => {
  it('is the preview in lists and of sessions, with the last question', async () => {
    const { body: listed } = await api.get<{ spans: SpanOutline[] }>('/api/spans?view=outline&preview=200&limit=100');
    const { body: session } = await api.get<{ traces: TraceListItem[] }>('/api/sessions/tides?preview=200&limit=100');
    for (const form of FORMS) {
      const previews = { input_preview: questionOf(form), output_preview: answerOf(form) };
      expect(listed.spans.find(({ id }) => id === idOf(form))).toMatchObject(previews);
      expect(session.traces.find(({ id }) => id === `trace-${idOf(form)}`)).toMatchObject(previews);
    }
  });

  it('is what its datapoint expects, which has all of the messages', async () => {
    for (const form of FORMS) {
      expect([form, datapoints.get(idOf(form))!.kind]).toEqual([
        form,
        { LlmConversation: { messages: askedFor(questionOf(form)), expected: answerOf(form), metadata: null } },
      ]);
    }
    const { body } = await api.get<{ datapoints: DatapointPreview[] }>(
      `/api/datasets/${dataset}/datapoints?preview=200&limit=100`,
    );
    const shown = body.datapoints.map(({ input_preview: asked, expected_preview: expected }) => [asked, expected]);
    expect(shown).toEqual(expect.arrayContaining(FORMS.map((form) => [questionOf(form), answerOf(form)])));
  });

  it('of calls of tools is expected as JSON', () => {
    for (const at of CALLED.keys()) {
      const { kind } = datapoints.get(`tool-${at}`)!;
      const { expected } = (kind as { LlmConversation: { expected: string } }).LlmConversation;
      expect(JSON.parse(expected)).toMatchObject({ tool_calls: [{ id: 'c1', name: 'tides' }] });
    }
  });

  it('is what a model that answers the same is given the full score for', async () => {
    const connection = await api.post<{ id: string }>('/api/provider-connections', {
      ...{ name: 'fake', provider: 'openai', api_key: 'sk-test', base_url: `${provider.url}/v1` },
    });
    const config = { connection_id: connection.body.id, model: 'gpt-5.1' };
    const started = await api.post<EvalRunResource>(`/api/datasets/${dataset}/eval`, {
      ...{ name: 'again', scoring: 'ExactMatch', config },
    });
    const run = async () => (await api.get<EvalRunResource>(`/api/eval/${started.body.id}`)).body;
    await until(async () => (await run()).status === 'completed');
    const items = new Map((await run()).result_items.map((item) => [item.datapoint_id, item]));
    for (const form of FORMS) {
      const item = items.get(datapoints.get(idOf(form))!.id);
      expect([form, item?.output, item?.score, item?.error]).toEqual([form, answerOf(form), 1, null]);
    }
    const sent = provider.requests.map(({ body }) => JSON.parse(body.toString()) as { messages: unknown });
    expect(sent.map(({ messages }) => messages)).toEqual(
      expect.arrayContaining(FORMS.map((form) => askedFor(questionOf(form)))),
    );
  });

  it('is what reviewers are given, and what they submit', async () => {
    const ids = FORMS.map((form) => datapoints.get(idOf(form))!.id);
    const queue = `/api/datasets/${dataset}/queue`;
    expect((await api.post(queue, { datapoint_ids: ids })).status).toBe(201);
    for (const form of FORMS) {
      const { body: item } = await api.post<QueueItemResource>(`${queue}/next`, { claimed_by: 'ada' });
      expect(item.original_data).toMatchObject({ LlmConversation: { expected: answerOf(form) } });
      const edited = { LlmConversation: { messages: askedFor(questionOf(form)), expected: `Reviewed ${form}` } };
      expect((await api.post(`/api/queue/${item.id}/submit?apply=true`, { edited_data: edited })).status).toBe(200);
      const { body } = await api.get<DatapointResource>(`/api/datasets/${dataset}/datapoints/${item.datapoint_id}`);
      expect(body.kind).toMatchObject({ LlmConversation: { expected: `Reviewed ${form}` } });
    }
  });

  it('is captured by rules in the same way', async () => {
    const rule = await api.post<{ id: string }>(`/api/datasets/${dataset}/capture-rules`, {
      ...{ name: 'tides', filters: { name_contains: 'captured' }, sample_rate: 1 },
    });
    expect([rule.status, rule.body]).toEqual([201, expect.anything()]);
    const spans = FORMS.map((form) => ({
      ...{ id: `captured-${idOf(form)}`, trace_id: `trace-${idOf(form)}`, name: 'captured', status: 'completed' },
      ...{ kind, input: 'When?', output: ANSWER_SHAPES[form]!('At noon.') },
    }));
    expect((await api.post<{ rejected: unknown[] }>('/api/ingest', { spans })).body.rejected).toEqual([]);
    const captured = async () => {
      const { body } = await api.get<{ datapoints: DatapointResource[] }>(
        `/api/datasets/${dataset}/datapoints?sort_order=desc&limit=100`,
      );
      return body.datapoints.filter(({ source_span_id: id }) => id?.startsWith('captured-'));
    };
    await until(async () => (await captured()).length === FORMS.length);
    for (const datapoint of await captured()) {
      expect(datapoint.kind).toMatchObject({ Generic: { input: 'When?', expected_output: 'At noon.' } });
    }
  });
});
