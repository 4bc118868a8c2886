import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { lintFromString, loadConfig } from '@redocly/openapi-core';
import { ERRORS } from '@spandrel/contract';
import type { OpenApiDocument, OpenApiOperation } from '@spandrel/http';
import { isThirdPartyPath } from '../support/otlp-path.ts';
import type { Described } from './described.ts';

const anonymous = (path: string): string => path.replace(/\{\w+\}|:\w+/g, '{}');

/** Every route that docs/spec names, for either mode. */
function specifiedRoutes(): string[] {
  const routes = new Set<string>();
  for (const page of globSync('docs/spec/*.md')) {
    for (const [, method, path] of readFileSync(page, 'utf8').matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`?\s]*)/g)) {
      routes.add(`${method} ${anonymous(path!)}`);
    }
  }
  routes.delete('GET /docs'); // The page that shows the document is not in it.
  return [...routes].toSorted();
}

/** Query parameters that docs/spec names, by operation. */
const PROMISED_PARAMETERS: Record<string, string> = {
  listTraces:
    'ids session_id user_id tag name_contains since until status model provider duration_min duration_max cost_min tokens_min metadata score sort_by sort_order preview include limit cursor',
  countTraces:
    'ids session_id user_id tag name_contains since until status model provider duration_min duration_max cost_min tokens_min metadata score',
  getTrace: 'view preview',
  getSession: 'preview include sort_order limit cursor',
  listUsers: 'since until id_contains prefix sort_by sort_order include limit cursor',
  getUser: 'since until',
  listSpans:
    'ids trace_id parent_id session_id user_id tag kind model provider status since until name_contains text_contains input_contains output_contains error_contains duration_min duration_max tokens_min cost_min metadata score sort_by sort_order view preview include limit cursor',
  countSpans:
    'ids trace_id parent_id session_id user_id tag kind model provider status since until name_contains text_contains input_contains output_contains error_contains duration_min duration_max tokens_min cost_min metadata score',
  listScores:
    'trace_id span_id session_id name source author rule_id label min_value max_value since until limit cursor',
  listScoreDefinitions: 'limit cursor',
  listScoringRules: 'limit cursor',
  explainScoring: 'span_id trace_id session_id',
  getScoreSeries: 'name source rule_id model since until group_by',
  getScoreQuality: 'name since until split_by',
  listSessions: 'id_contains user_id since until include limit cursor',
  listFacets: 'of prefix since until limit cursor',
  listAlerts: 'limit cursor',
  listAlertHistory: 'limit cursor',
  listAlertChannels: 'limit cursor',
  listAlertDeliveries: 'alert_id status limit cursor',
  listDatasets: 'limit cursor',
  listDatapoints: 'text_contains source ids metadata sample seed sort_order preview limit cursor',
  exportDataset: 'format',
  importDatapoints: 'on_error filename dedupe replace',
  listCaptureRules: 'limit cursor',
  listConnections: 'limit cursor',
  listEvals: 'status execution passed name group_id metadata baseline_for allow_different_scoring limit cursor',
  listEvalRuns: 'dataset_id status execution passed name group_id metadata sort_by sort_order limit cursor',
  getEval: 'items',
  listEvalItems: 'datapoint_id status passed flaky score_max sort_by sort_order include limit cursor format',
  getEvalStatistics: 'k cluster_by group_by failed_as baseline alpha allow_different_scoring',
  getJudgeAgreement: 'name scorer',
  compareEvals: 'runs',
  compareEvalItems: 'runs baseline datapoint_id only order include limit cursor',
  listViews: 'page limit cursor',
  listQueue:
    'status claimed_by reviewer targets datapoint_id trace_id span_id session_id group_id assignee form disagreement limit cursor',
  listComments: 'parent_id target_type target_id limit cursor',
  listDatasetQueue:
    'status claimed_by reviewer targets datapoint_id trace_id span_id session_id group_id assignee form disagreement limit cursor',
  getQueueItem: 'reviewer',
  getAgreement: 'name level since',
  getTargetAgreement: 'name level since',
  submitQueueItem: 'apply',
  listenToEvents: 'since types view trace_id token',
  exportJson: 'trace_id',
  getTraceBundle: 'mask with',
};

/** Routes of cloud mode alone (docs/spec/access.md). */
const PROMISED_IN_CLOUD = [
  'DELETE /api/keys/{}',
  'DELETE /api/orgs/{}',
  'DELETE /api/orgs/{}/members/{}',
  'DELETE /api/projects/{}',
  'DELETE /api/session',
  'DELETE /api/shares/{}',
  'GET /api/audit-log',
  'GET /api/audit-log/export',
  'GET /api/credential',
  'GET /api/keys',
  'GET /api/orgs',
  'GET /api/orgs/{}',
  'GET /api/orgs/{}/members',
  'GET /api/orgs/{}/projects',
  'GET /api/projects/{}',
  'GET /api/session',
  'GET /api/session/oidc',
  'GET /api/session/oidc/callback',
  'GET /api/session/projects',
  'GET /api/shared/{}',
  'GET /api/shared/{}/spans/{}',
  'GET /api/shares',
  'PATCH /api/keys/{}',
  'PATCH /api/orgs/{}',
  'PATCH /api/orgs/{}/members/{}',
  'PATCH /api/projects/{}',
  'PATCH /api/session',
  'POST /api/keys',
  'POST /api/orgs',
  'POST /api/orgs/{}/members',
  'POST /api/orgs/{}/projects',
  'POST /api/session',
  'POST /api/shares',
];
const OPEN = ['getBrowserSession', 'getHealth', 'getLiveness', 'getOpenApi', 'getReadiness'];

/** Local mode has this route too, to say that nobody signs in. */
const IN_BOTH_MODES = 'GET /api/session';

/** Routes that need no credential, and refuse one that is not valid. */
const CHECKING = ['createBrowserSession', 'getBrowserSession'];

/** The errors of a route that concern who may call and how often: the document of local mode names them too. */
const codesOf = ({ security, operationId }: OpenApiDocument['paths'][string][string]): string[] => {
  return security.length > 0 || CHECKING.includes(operationId) ? ['401', '403', '429'] : ['403'];
};

/** The tests of the document of a server: its routes, who may call them, and a well-kept linter's opinion. */
export function describeDocument(isCloud: boolean, described: () => Described): void {
  let text: string;
  let document: OpenApiDocument;
  beforeAll(async () => {
    const answer = await fetch(`${described().url}/api/openapi.json`);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    text = await answer.text();
    document = JSON.parse(text) as OpenApiDocument;
  });

  const byRoute = (): [route: string, operation: OpenApiOperation][] =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, OpenApiOperation] => [
        `${method.toUpperCase()} ${anonymous(path)}`,
        operation,
      ]),
    );
  const operations = (): OpenApiOperation[] => byRoute().map(([, operation]) => operation);
  const documentedRoutes = (): string[] => byRoute().map(([route]) => route);

  describe('the OpenAPI document', () => {
    it('has every route that docs/spec names, and no other', () => {
      const ofOtherMode = isCloud ? [] : PROMISED_IN_CLOUD.filter((route) => route !== IN_BOTH_MODES);
      expect(documentedRoutes().toSorted()).toEqual(specifiedRoutes().filter((route) => !ofOtherMode.includes(route)));
      const access = byRoute().filter(([, { tags }]) =>
        tags.some((tag) => ['Access', 'Audit log', 'Sharing'].includes(tag)),
      );
      expect(access.map(([route]) => route).toSorted()).toEqual(isCloud ? PROMISED_IN_CLOUD : []);
    });

    it('has under Operations nothing but health, metrics and itself', () => {
      const routes = byRoute().filter(([, { tags }]) => tags.includes('Operations'));
      const others = routes
        .map(([route]) => route)
        .filter(
          (route) => !/^GET \/(api\/)?(health|livez|readyz|metrics|capabilities|openapi|docs|session)/.test(route),
        );
      expect(others).toEqual([]);
    });

    it('has every route that the server takes', () => {
      const taken = [...described().routes].map(anonymous).filter((route) => !/^(HEAD|OPTIONS) /.test(route));
      expect(taken.length).toBeGreaterThan(50);
      expect(taken.filter((route) => !documentedRoutes().includes(route))).toEqual([]);
      expect(documentedRoutes().filter((route) => !taken.includes(route))).toEqual([]);
    });

    it.each(Object.entries(PROMISED_PARAMETERS))('has the parameters of %s', (id, names) => {
      const operation = operations().find(({ operationId }) => operationId === id)!;
      const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
      expect(query.map(({ name }) => name).toSorted()).toEqual(names.split(' ').toSorted());
    });

    it('says which errors there are, as problem+json, or as OTLP has them', () => {
      for (const [path, methods] of Object.entries(document.paths)) {
        for (const { responses, operationId } of Object.values(methods)) {
          const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400);
          expect({ operationId, has: errors.map(([status]) => status) }).toEqual({
            operationId,
            has: expect.arrayContaining(['400', '403', '500', '503']),
          });
          const problems = errors.filter(([, response]) => '$ref' in response);
          expect([operationId, problems.length]).toEqual([operationId, isThirdPartyPath(path) ? 0 : errors.length]);
        }
      }
      for (const response of Object.values(document.components.responses)) {
        expect(Object.keys(response.content!)).toEqual(['application/problem+json']);
      }
      const codes = document.components.schemas['Problem']!['properties'] as { code: { enum: string[] } };
      expect(codes.code.enum).toEqual(Object.keys(ERRORS));
    });

    it('is right about credentials, and names who needs none', () => {
      const open = operations().filter(({ security }) => security.length === 0);
      expect(open.map(({ operationId }) => operationId).toSorted()).toEqual(
        isCloud
          ? ['beginSignIn', 'createBrowserSession', 'endSignIn', ...OPEN, 'getSharedSpan', 'getSharedTrace']
          : OPEN,
      );
      // In local mode they may be left out.
      const left = isCloud ? [] : [{}];
      const ways = new Set(operations().map(({ security }) => JSON.stringify(security)));
      const ofExporters = [{ bearer: [] }, { basic: [] }, { key: [] }, { api_key_header: [] }];
      const wanted = [
        [],
        [...left, { bearer: [] }],
        [...left, { bearer: [] }, { token: [] }],
        [...left, ...ofExporters],
      ];
      expect(ways).toEqual(new Set(wanted.map((way) => JSON.stringify(way))));
      const stream = operations().find(({ operationId }) => operationId === 'listenToEvents')!;
      expect(stream.security).toEqual(wanted[2]);
    });

    it('reports 401, 403 and 429 wherever they may come', () => {
      for (const [route, operation] of byRoute()) {
        const codes = ['401', '403', '429'].filter((code) => code in operation.responses);
        expect({ route, codes }).toEqual({ route, codes: codesOf(operation) });
      }
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
      const runs = operations().find(({ operationId }) => operationId === 'listEvals')!.parameters!;
      expect(runs.find(({ name }) => name === 'metadata')).toMatchObject({
        ...{ in: 'query', required: false, style: 'form', explode: true },
        schema: { type: 'object', additionalProperties: { type: 'string' } },
      });
      expect((schemas['Span']!['properties'] as Record<string, unknown>)['ended_at']).toMatchObject({
        type: 'string',
        format: 'date-time',
        nullable: true,
      });
    });

    it('is without fault to a linter', async () => {
      const config = await loadConfig({ configPath: join(process.cwd(), 'redocly.yaml') });
      const problems = await lintFromString({ source: text, absoluteRef: join(process.cwd(), 'openapi.json'), config });
      expect(problems.map(({ ruleId, message, location }) => `${location[0]?.pointer}: ${ruleId}: ${message}`)).toEqual(
        [],
      );
    });
  });
}
