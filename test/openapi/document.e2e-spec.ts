import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ERRORS } from '@spandrel/contract';
import type { OpenApiDocument, OpenApiOperation } from '@spandrel/kernel';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { tempDir } from '../support/spandrel.ts';

/** Everything that the service specification and the contract name, in local mode. */
const PROMISED = `
POST   /api/traces
GET    /api/traces
DELETE /api/traces
GET    /api/traces/{}
PATCH  /api/traces/{}
DELETE /api/traces/{}
POST   /api/spans
GET    /api/spans
POST   /api/spans/{}/complete
POST   /api/spans/{}/fail
GET    /api/spans/{}
DELETE /api/spans/{}
GET    /api/sessions
GET    /api/sessions/{}
POST   /api/ingest
POST   /api/datasets
GET    /api/datasets
GET    /api/datasets/{}
PUT    /api/datasets/{}
DELETE /api/datasets/{}
POST   /api/datasets/{}/datapoints
GET    /api/datasets/{}/datapoints
GET    /api/datasets/{}/datapoints/{}
PUT    /api/datasets/{}/datapoints/{}
DELETE /api/datasets/{}/datapoints/{}
POST   /api/datasets/{}/export-span
POST   /api/datasets/{}/import
GET    /api/datasets/{}/export
POST   /api/datasets/{}/capture-rules
GET    /api/datasets/{}/capture-rules
GET    /api/datasets/{}/capture-rules/{}
PUT    /api/datasets/{}/capture-rules/{}
DELETE /api/datasets/{}/capture-rules/{}
POST   /api/datasets/{}/eval
GET    /api/datasets/{}/eval
GET    /api/datasets/{}/compare
GET    /api/eval/{}
POST   /api/eval/{}/cancel
DELETE /api/eval/{}
POST   /api/datasets/{}/queue
GET    /api/datasets/{}/queue
POST   /api/datasets/{}/queue/next
GET    /api/queue
GET    /api/queue/{}
POST   /api/queue/{}/claim
POST   /api/queue/{}/release
POST   /api/queue/{}/submit
POST   /api/provider-connections
GET    /api/provider-connections
GET    /api/provider-connections/{}
PUT    /api/provider-connections/{}
DELETE /api/provider-connections/{}
POST   /api/provider-connections/{}/test
GET    /api/analytics/summary
POST   /api/analytics
POST   /api/search
GET    /api/stats
GET    /api/export/json
POST   /api/import/json
GET    /api/health
GET    /api/openapi.json
GET    /api/events
GET    /livez
GET    /readyz
GET    /metrics
`;

/** Query parameters that they name. */
const PROMISED_PARAMETERS: Record<string, string> = {
  listTraces: 'session_id user_id tag name_contains since until status limit cursor',
  listSpans:
    'trace_id parent_id session_id tag kind model provider status since until name_contains text_contains input_contains output_contains duration_min duration_max tokens_min cost_min sort_by sort_order limit cursor',
  listSessions: 'limit cursor',
  listDatasets: 'limit cursor',
  listDatapoints: 'limit cursor',
  exportDataset: 'format',
  importDatapoints: 'on_error filename',
  listCaptureRules: 'limit cursor',
  listConnections: 'limit cursor',
  listEvals: 'limit cursor',
  compareEvals: 'runs',
  listQueue: 'status claimed_by limit cursor',
  listDatasetQueue: 'status claimed_by limit cursor',
  submitQueueItem: 'apply',
  listenToEvents: 'since types',
  exportJson: 'trace_id',
};

let app: ServerApp;
let document: OpenApiDocument;
const registered = new Set<string>();

beforeAll(async () => {
  app = await startServerApp(
    { dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') },
    {
      prepare: (nest) =>
        nest
          .getHttpAdapter()
          .getInstance()
          .addHook('onRoute', ({ method, url }) => {
            for (const verb of [method].flat()) registered.add(`${verb} ${anonymous(url)}`);
          }),
    },
  );
  const answer = await fetch(`${app.url}/api/openapi.json`);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  document = (await answer.json()) as OpenApiDocument;
});
afterAll(async () => {
  await app.close();
});

const anonymous = (path: string): string => path.replace(/\{\w+\}|:\w+/g, '{}');
const operations = (): OpenApiOperation[] => Object.values(document.paths).flatMap((path) => Object.values(path));
const documentedRoutes = (): string[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${anonymous(path)}`),
  );

describe('the OpenAPI document', () => {
  it('has every path that the specification and the contract name, and no other', () => {
    const promised = PROMISED.trim()
      .split('\n')
      .map((line) => line.replace(/ +/, ' '));
    expect(documentedRoutes().toSorted()).toEqual(promised.toSorted());
  });

  it('has every route that the server takes', () => {
    const taken = [...registered].filter((route) => !/^(HEAD|OPTIONS) /.test(route));
    expect(taken.length).toBeGreaterThan(50);
    expect(taken.filter((route) => !documentedRoutes().includes(route))).toEqual([]);
    expect(documentedRoutes().filter((route) => !taken.includes(route))).toEqual([]);
  });

  it.each(Object.entries(PROMISED_PARAMETERS))('has the parameters of %s', (id, names) => {
    const operation = operations().find(({ operationId }) => operationId === id)!;
    const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
    expect(query.map(({ name }) => name).toSorted()).toEqual(names.split(' ').toSorted());
  });

  it('says which errors there are, as problem+json', () => {
    for (const { responses, operationId } of operations()) {
      expect({ operationId, has: Object.keys(responses) }).toEqual({
        operationId,
        has: expect.arrayContaining(['400', '403', '500', '503']),
      });
    }
    for (const response of Object.values(document.components.responses)) {
      expect(Object.keys(response.content!)).toEqual(['application/problem+json']);
    }
    const codes = document.components.schemas['Problem']!['properties'] as { code: { enum: string[] } };
    expect(codes.code.enum).toEqual(Object.keys(ERRORS));
  });

  it('is right about credentials in local mode, and names who needs none', () => {
    const open = operations().filter(({ security }) => security.length === 0);
    expect(open.map(({ operationId }) => operationId).toSorted()).toEqual([
      'getHealth',
      'getLiveness',
      'getOpenApi',
      'getReadiness',
    ]);
    for (const { security } of operations()) if (security.length > 0) expect(security[0]).toEqual({});
    const stream = operations().find(({ operationId }) => operationId === 'listenToEvents')!;
    expect(stream.security).toEqual([{}, { bearer: [] }, { token: [] }]);
  });

  it('shows the forms that code alone decides', () => {
    const { schemas } = document.components;
    const types = (schemas['SpanKind']!['anyOf'] as { required: string[] }[]).map(({ required }) => required);
    expect(types).toEqual([['type', 'model'], ['type']].map((names) => expect.arrayContaining(names)));
    const kinds = (schemas['DatapointKind']!['anyOf'] as { required: string[] }[]).map(({ required }) => required);
    expect(kinds).toEqual([['Generic'], ['LlmConversation']]);
    expect(schemas['SpanStatus']!['anyOf']).toHaveLength(2);
    const list = operations().find(({ operationId }) => operationId === 'listSpans')!.parameters!;
    expect(list.find(({ name }) => name === 'limit')!.schema).toEqual({
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      default: 50,
    });
    expect(list.find(({ name }) => name === 'tag')).toMatchObject({ style: 'form', explode: true });
    expect(list.find(({ name }) => name === 'sort_order')!.schema).toMatchObject({ default: 'desc' });
    expect((schemas['Span']!['properties'] as Record<string, unknown>)['ended_at']).toMatchObject({
      type: 'string',
      format: 'date-time',
      nullable: true,
    });
  });
});
