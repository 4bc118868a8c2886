/** What becomes of spans once they are taken: scopes that are not kept, large spans, events and capture rules. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { CaptureRuleResource, DatapointResource, DatasetResource } from '@spandrel/contract';
import { describeOnBothDatabases } from '../support/databases.ts';
import { until } from '../support/spandrel.ts';
import {
  attribute,
  jsonRequest,
  jsonSpan,
  newTraceId,
  OtlpDoor,
  partialSuccessOf,
  protobufRequest,
  SPAN_BYTES,
} from './otlp-door.ts';

/** What is left of a text that is cut. */
const TEXT_BYTES = 65_536;

describeOnBothDatabases('spans of exporters', ({ newDatabase }) => {
  let door: OtlpDoor;
  beforeAll(async () => void (door = await OtlpDoor.open(await newDatabase('otlp'))));
  afterAll(() => door.close());

  async function counted(name: string): Promise<number> {
    const text = await (await fetch(`${door.app.url}/metrics`, { headers: door.app.api.headers })).text();
    return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)![1]);
  }

  it('of scopes that otlp.drop_scopes names count as accepted and as dropped', async () => {
    const traceId = newTraceId();
    const scopes = ['noise', 'app', 'noise.of.files', 'noise-less'];
    const scopeSpans = scopes.map((name, n) => ({
      scope: { name },
      spans: [jsonSpan({ traceId, name, spanId: `${n + 1}`.repeat(16) })],
    }));
    const before = await counted('spandrel_otlp_dropped_spans_total');
    const answer = await door.post({ resourceSpans: [{ scopeSpans }] });
    expect([answer.status, partialSuccessOf(answer).rejected]).toEqual([200, 0]);
    expect((await door.spansOf(traceId)).map(({ name }) => name).toSorted()).toEqual(['app', 'noise-less']);
    expect(await counted('spandrel_otlp_dropped_spans_total')).toBe(before + 2);
    // An export of nothing else is no refusal.
    const alone = await door.post({ resourceSpans: [{ scopeSpans: [scopeSpans[0]] }] });
    expect([alone.status, alone.body.toString()]).toEqual([200, '{}']);
  });

  it('larger than limits.body_bytes are kept with their longest texts cut, which are named', async () => {
    const traceId = newTraceId();
    // Characters of three bytes, so that the last one kept would be cut in two.
    const longest = `x${'長'.repeat(50_000)}`;
    const long = 'y'.repeat(90_000);
    const attributes = [
      attribute('gen_ai.operation.name', 'chat'),
      attribute('gen_ai.prompt', longest),
      attribute('notes', long),
    ];
    const answer = await door.post(protobufRequest(jsonSpan({ traceId, attributes })));
    expect([answer.status, partialSuccessOf(answer).rejected]).toEqual([200, 0]);
    const [span] = await door.spansOf(traceId);
    const [{ content }] = span!.input as [{ content: string }];
    expect(longest.startsWith(content)).toBe(true);
    expect(TEXT_BYTES - Buffer.byteLength(content)).toBeLessThan(3);
    const { truncated, attributes: kept } = span!.metadata['otel'] as Record<string, Record<string, unknown>>;
    expect(truncated).toEqual(['input.0.content']);
    // Once that one is cut the span is small enough.
    expect(kept!['notes']).toBe(long);
    expect(Buffer.byteLength(JSON.stringify(span))).toBeLessThan(SPAN_BYTES);
  });

  it('are reported and captured once per change, however often they come', async () => {
    const traceId = newTraceId();
    const { body: dataset } = await door.api.post<DatasetResource>('/api/datasets', { name: 'captured' });
    const rules = `/api/datasets/${dataset.id}/capture-rules`;
    const filters = { name_contains: 'captured once' };
    const { body: rule } = await door.api.post<CaptureRuleResource>(rules, { name: 'rule', filters });
    const asked = [attribute('gen_ai.operation.name', 'chat'), attribute('gen_ai.prompt', 'why?')];
    const whole = jsonSpan({ traceId, spanId: 'd'.repeat(16), name: 'captured once', attributes: asked });
    const running = { ...whole, endTimeUnixNano: '0' };
    const corrected = { ...whole, attributes: [...asked, attribute('gen_ai.completion', 'because')] };
    const failed = jsonSpan({
      traceId,
      spanId: 'f'.repeat(16),
      name: 'captured once too',
      attributes: asked,
      status: { code: 2 },
    });
    const from = door.app.events.length;
    for (const span of [running, running, whole, whole, running, corrected, corrected, failed, failed]) {
      for (const request of [protobufRequest, jsonRequest]) expect((await door.post(request(span))).status).toBe(200);
    }
    const captured = async (): Promise<number> =>
      (await door.api.get<CaptureRuleResource>(`${rules}/${rule.id}`)).body.captured_count;
    await until(async () => (await captured()) >= 2);
    // Captures run one after the other: what a repetition had brought would stand before that of the last span.
    const last = jsonSpan({ traceId, spanId: 'e'.repeat(16), name: 'captured once, the last', attributes: asked });
    expect((await door.post(jsonRequest(last))).status).toBe(200);
    await until(async () => (await captured()) >= 3);
    expect(await captured()).toBe(3);
    const { body } = await door.api.get<{ datapoints: DatapointResource[] }>(`/api/datasets/${dataset.id}/datapoints`);
    expect(body.datapoints).toHaveLength(3);
    const reported = door.app.events.slice(from).flatMap(({ event }) => {
      if (event.type === 'trace_created') return [[event.type, event.trace.id]];
      return 'span' in event ? [[event.type, event.span.id]] : [];
    });
    expect(reported).toEqual([
      ['trace_created', traceId],
      ['span_created', whole['spanId']],
      ['span_completed', whole['spanId']],
      ['span_created', failed['spanId']],
      ['span_failed', failed['spanId']],
      ['span_created', last['spanId']],
      ['span_completed', last['spanId']],
    ]);
  });
});
