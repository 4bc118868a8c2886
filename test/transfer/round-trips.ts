import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  EXPORT_COLLECTIONS,
  type DatapointResource,
  type DatasetResource,
  type SpanResource,
} from '@spandrel/contract';
import { DatapointStore } from '@spandrel/datasets';
import { newId } from '@spandrel/kernel';
import { anyCharacter } from '../support/any-character.ts';
import { scopeOfProject } from '../support/in-process.ts';
import { NONE } from './items.ts';
import { undated, type TransferServer } from './transfer-server.ts';
import { repetitions } from '../support/repetitions.ts';

/** Nested as deep as a body may, with the members around it. */
const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** JSON that programs change without noticing. */
const HOSTILE = [
  '"\\u0000"',
  '"\\ud800 and \\udc00"',
  '{"__proto__":{"a":1},"constructor":2,"":3,"1":4,"toString":null}',
  '[12345678901234567890,0.1000000000000000055511151231257827,-1e-310,1E+308]',
  '"\\u2028\\u2029 \\ud83d\\ude00 </script> \\\\ \\" \\b"',
  '{"a":{"a":[{},[],"",false,null,-0.0]}}',
  deep(190),
  'null',
] as const;

const json = fc.oneof(
  { weight: 3, arbitrary: fc.json({ stringUnit: anyCharacter, maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(...HOSTILE) },
);
const object = fc
  .array(fc.tuple(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'cost', 'duration_ms', '7')), json), {
    maxLength: 4,
  })
  .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`);
const name = fc.string({ unit: anyCharacter.filter((character) => character !== '\0'), maxLength: 20 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const time = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
const tokens = maybe(fc.nat(1_000_000));

const kind = fc.oneof(
  fc
    .record({
      model: fc.constantFrom('gpt-4o', 'claude-sonnet-4-5', 'no-such-model'),
      provider: maybe(fc.constantFrom('openai', 'x')),
      input_tokens: tokens,
      output_tokens: tokens,
      cached_input_tokens: tokens,
      cost: maybe(fc.double({ min: 0, max: 100, noNaN: true })),
    })
    .map((call) => JSON.stringify({ type: 'llm_call', ...call })),
  object.map((attributes) => `{"type":"custom","kind":"k","cost":3,"attributes":${attributes}}`),
  fc.constantFrom('{"type":"tool_call"}', '{"type":"retrieval","model":"m","cost":12345678901234567890}', 'null'),
);

const span = fc
  .record(
    { name, kind, input: json, output: json, metadata: object, parent: maybe(fc.nat(9)) },
    { noNullPrototype: true },
  )
  .chain((content) =>
    fc
      .tuple(
        fc.constantFrom('running', 'completed', 'failed'),
        time,
        fc.nat(100_000),
        fc.string({ unit: anyCharacter }),
        fc.nat(2),
      )
      .map(([status, start, ms, error, trace]) => ({ ...content, status, start, ms, error, trace })),
  );
type DrawnSpan = typeof span extends fc.Arbitrary<infer T> ? T : never;

/** Ids in an order that is not the one in which things were made. */
const itemId = (index: number): string => `${(index * 7) % 10}.${newId()}`;

/** The body of an ingest that makes spans, in text: no parser touches the values. */
function ingestBody(spans: readonly DrawnSpan[]): string {
  const traceIds = [itemId(3), itemId(1), itemId(2)];
  const ids = spans.map((_, index) => itemId(index));
  const items = spans.map(({ name, kind, input, output, metadata, parent, status, start, ms, error, trace }, index) => {
    const end = new Date(Math.min(start.getTime() + ms, Date.UTC(9999, 11, 31))).toISOString();
    const members: Record<string, string> = {
      ...{
        id: `"${ids[index]}"`,
        trace_id: `"${traceIds[trace]}"`,
        name: JSON.stringify(name),
        kind,
        input,
        output,
        metadata,
      },
      ...{
        started_at: `"${start.toISOString()}"`,
        parent_id: parent === null ? 'null' : `"${ids[parent] ?? 'elsewhere'}"`,
      },
    };
    if (status !== 'running') members['ended_at'] = `"${end < start.toISOString() ? start.toISOString() : end}"`;
    members['status'] = status === 'failed' ? `{"failed":{"error":${JSON.stringify(error)}}}` : `"${status}"`;
    return `{${Object.entries(members)
      .map(([key, value]) => `"${key}":${value}`)
      .join(',')}}`;
  });
  const traces = traceIds.map(
    (id, index) =>
      `{"id":"${id}","name":${index === 0 ? 'null' : `"trace ${index}"`},"tags":["b","a","b"],"session_id":"s","metadata":${HOSTILE[2]}}`,
  );
  return `{"traces":[${traces.join(',')}],"spans":[${items.join(',')}]}`;
}

const datapointKind = fc.oneof(
  fc
    .record({
      input: json,
      expected_output: json,
      metadata: object,
      score: maybe(fc.double({ min: 0, max: 1, noNaN: true })),
    })
    .map(
      ({ input, expected_output, metadata, score }) =>
        `{"Generic":{"score":${score},"input":${input},"expected_output":${expected_output},"metadata":${metadata},"more":1}}`,
    ),
  json.map(
    (content) => `{"LlmConversation":{"messages":[{"role":"user","content":[${content}]}],"expected":"\\u0000"}}`,
  ),
);

const dataset = fc.record({
  name: name.filter((text) => text !== ''),
  description: maybe(name),
  datapoints: fc.array(fc.record({ kind: datapointKind, edited: maybe(datapointKind), result: maybe(fc.string()) }), {
    maxLength: 4,
  }),
  deleted: fc.boolean(),
});

/** @param all whether what a database has no part in is shown as well. */
export function roundTrips(server: () => TransferServer, all: boolean): void {
  describe('an export that is imported into an empty instance', () => {
    it('is equal to the export of that, whatever is in it', async () => {
      const { call, storage, app } = server();
      const datapoints = app.get(DatapointStore);
      await fc.assert(
        fc.asyncProperty(
          fc.array(span, { maxLength: 8 }),
          fc.array(dataset, { maxLength: 3 }),
          async (spans, datasets) => {
            const from = server().project();
            const { rejected } = await call<{ rejected: unknown[] }>(from, 'POST', '/api/ingest', ingestBody(spans));
            expect(rejected).toEqual([]);
            for (const { name: label, description, datapoints: items, deleted } of datasets) {
              const { id } = await call<DatasetResource>(from, 'POST', '/api/datasets', { name: label, description });
              for (const { kind: first, edited, result } of items) {
                const path = `/api/datasets/${id}/datapoints`;
                const made = await call<DatapointResource>(from, 'POST', path, `{"kind":${first}}`);
                if (edited !== null) await call(from, 'PUT', `${path}/${made.id}`, `{"kind":${edited}}`);
                if (result === null) continue;
                const output = JSON.stringify(result);
                await storage.write((tx) =>
                  datapoints.writeResults(tx, scopeOfProject(from), id, [
                    { id: made.id, output, score: 0.5, now: Date.now() },
                  ]),
                );
              }
              const { datapoints: all } = await call<{ datapoints: DatapointResource[] }>(
                from,
                'GET',
                `/api/datasets/${id}/datapoints`,
              );
              const [gone] = all;
              if (deleted && gone) await call(from, 'DELETE', `/api/datasets/${id}/datapoints/${gone.id}`);
            }

            const file = await server().export(from);
            const to = server().project();
            const result = await server().restore(to, file);
            expect(result).toEqual({
              imported: {
                ...NONE,
                traces: 3,
                spans: spans.length,
                datasets: datasets.length,
                datapoints: (JSON.parse(file) as { datapoints: unknown[] }).datapoints.length,
              },
              rejected: [],
              rejected_count: 0,
            });
            expect(undated(await server().export(to))).toBe(undated(file));
            const reported = server().events.length;
            await server().restore(to, file);
            expect(undated(await server().export(to))).toBe(undated(file));
            expect(server().events).toHaveLength(reported);
            expect(undated(await server().export(from))).toBe(undated(file));
          },
        ),
        { numRuns: repetitions(12) },
      );
    });

    it('has every kind of object as the API shows it', async () => {
      const { call } = server();
      const from = server().project();
      const trace = await call<{ id: string }>(from, 'POST', '/api/traces', { name: 't', tags: ['x'] });
      const { id } = await call<{ id: string }>(from, 'POST', '/api/spans', {
        trace_id: trace.id,
        name: 'call',
        kind: { type: 'llm_call', model: 'gpt-4o', input_tokens: 1_000, output_tokens: 10 },
        metadata: { duration_ms: 'mine', own: true },
      });
      await call(from, 'POST', `/api/spans/${id}/complete`, { output: 'done' });
      const set = await call<DatasetResource>(from, 'POST', '/api/datasets', { name: 'set' });
      await call(from, 'POST', `/api/datasets/${set.id}/export-span`, { span_id: id });
      const file = JSON.parse(await server().export(from)) as Record<string, unknown>;
      const shown = await call<{ trace: object; spans: SpanResource[] }>(from, 'GET', `/api/traces/${trace.id}`);
      const { datapoints } = await call<{ datapoints: object[] }>(from, 'GET', `/api/datasets/${set.id}/datapoints`);
      expect(Object.keys(file)).toEqual(['version', 'exported_at', ...EXPORT_COLLECTIONS]);
      expect(file).toMatchObject({
        version: 1,
        exported_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        traces: [
          {
            ...{ id: trace.id, name: 't', tags: ['x'], session_id: null, user_id: null, metadata: {} },
            ...{ started_at: expect.any(String), ended_at: shown.spans[0]!.ended_at },
          },
        ],
        spans: shown.spans,
        datasets: [await call(from, 'GET', `/api/datasets/${set.id}`)],
        datapoints,
      });
      const to = server().project();
      await server().restore(to, JSON.stringify(file));
      expect(await call(to, 'GET', `/api/traces/${trace.id}`)).toEqual(shown);
      expect(await call(to, 'GET', `/api/datasets/${set.id}/datapoints`)).toMatchObject({ datapoints });
    });

    const keepsCosts = async (): Promise<void> => {
      const from = server().project();
      const call = (cost: string) =>
        `{"type":"llm_call","model":"gpt-4o","provider":null,"input_tokens":1000,"output_tokens":1,"cost":${cost}}`;
      const item = (id: string, cost: string) =>
        `{"id":"${id}","trace_id":"t","name":"n","kind":${call(cost)},"status":"completed",` +
        `"started_at":"2026-01-01T00:00:00Z","ended_at":"2026-01-01T00:00:01Z"}`;
      const file = `{"version":1,"spans":[${item('unpriced', 'null')},${item('own', '7.5')}],"traces":[{"id":"t"}]}`;
      await server().restore(from, file);
      const { spans } = await server().call<{ spans: SpanResource[] }>(from, 'GET', '/api/traces/t');
      expect(spans.map(({ id, kind: { cost }, metadata }) => [id, cost, metadata['cost']])).toEqual([
        ['own', 7.5, 7.5],
        ['unpriced', null, null],
      ]);
      const to = server().project();
      await server().restore(to, await server().export(from));
      expect(undated(await server().export(to))).toBe(undated(await server().export(from)));
    };
    if (all) it('keeps the costs that spans had or lacked, whatever the prices are now', keepsCosts);
  });
}
