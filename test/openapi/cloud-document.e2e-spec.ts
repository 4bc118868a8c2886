/** The OpenAPI document of cloud mode: the routes that local mode has not, credentials, and a well-kept linter's opinion. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenApiDocument } from '../../libs/kernel/src/http/openapi/openapi-document.js';
import { lintFromString, loadConfig } from '@redocly/openapi-core';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';

/** What the contract names for cloud mode alone, and what we answer beside it (docs/wire.md "Access"). */
const PROMISED_IN_CLOUD = [
  'DELETE /api/keys/{id}',
  'GET /api/audit-log',
  'GET /api/credential',
  'GET /api/keys',
  'GET /api/orgs',
  'GET /api/orgs/{id}/projects',
  'PATCH /api/orgs/{id}',
  'POST /api/keys',
  'POST /api/orgs',
  'POST /api/orgs/{id}/projects',
];
/** What wants a credential and is not counted. */
const FREE = ['getCredential', 'readMetrics'];
const OPEN = ['getHealth', 'getLiveness', 'getOpenApi', 'getReadiness'];

let postgres: TestPostgres;
let app: CloudApp;
let text: string;
let document: OpenApiDocument;
beforeAll(async () => {
  postgres = await startPostgres();
  app = await cloudApp(await postgres.createDatabase('document'));
  text = await (await fetch(`${app.url}/api/openapi.json`)).text();
  document = JSON.parse(text) as OpenApiDocument;
}, 60_000);
afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

/** Of its problems, those of who may call and how often. */
const codesOf = ({ security, operationId }: OpenApiDocument['paths'][string][string]): string[] => {
  if (security.length === 0) return ['403'];
  return FREE.includes(operationId) ? ['401', '403'] : ['401', '403', '429'];
};

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation })),
  );

describe('the OpenAPI document of cloud mode', () => {
  it('has the routes of tenants and keys', () => {
    const access = operations().filter(({ operation }) => operation.tags.includes('Access'));
    expect(access.map(({ route }) => route).toSorted()).toEqual(PROMISED_IN_CLOUD);
  });

  it('wants a credential for everything but what tells how the service is', () => {
    const open = operations().filter(({ operation }) => operation.security.length === 0);
    expect(open.map(({ operation }) => operation.operationId).toSorted()).toEqual(OPEN);
    const ways = operations().map(({ operation }) => JSON.stringify(operation.security));
    expect(new Set(ways)).toEqual(new Set(['[]', '[{"bearer":[]}]', '[{"bearer":[]},{"token":[]}]']));
  });

  it('tells of 401, 403 and 429 wherever they may come', () => {
    for (const { route, operation } of operations()) {
      const codes = ['401', '403', '429'].filter((code) => code in operation.responses);
      expect({ route, codes }).toEqual({
        route,
        codes: codesOf(operation),
      });
    }
  });

  it('is without fault to a linter', async () => {
    const config = await loadConfig({ configPath: join(process.cwd(), 'redocly.yaml') });
    const problems = await lintFromString({ source: text, absoluteRef: join(process.cwd(), 'openapi.json'), config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });
});
