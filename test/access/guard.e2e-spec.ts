import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConnectionsSettings } from '@spandrel/connections';
import { PERMISSIONS, type Permission } from '@spandrel/contract';
import { OpenApi } from '@spandrel/http';
import { UnsecuredJWT } from 'jose';
import { newApiKey } from '../../libs/access/src/credentials/api-keys.ts';
import { Seeds } from '../openapi/seeds.ts';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { isThirdPartyPath, isOtlpPath } from '../support/otlp-path.ts';
import { ADMIN_TOKEN, type Tenant } from '../support/tenant.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { bodyFor, routesOf, send, type CloudAnswer, type Route } from './cloud-request.ts';

const PROBLEM = 'application/problem+json';
const METRICS_TOKEN = 'a-metrics-token-of-the-tests-0123456789';

let postgres: TestPostgres;
let app: CloudApp;
let tenant: Tenant;
let seeds: Seeds;
let routes: Route[];
const keys = {} as Record<Permission, string>;

beforeAll(async () => {
  postgres = await startPostgres();
  app = await cloudApp(await createMigrated(postgres, 'guard'), {
    env: { SPANDREL_METRICS_TOKEN: METRICS_TOKEN },
    settings: (settings) => void (settings.of(ConnectionsSettings).allowPrivate = ['127.0.0.1']),
  });
  tenant = await app.createTenant();
  seeds = await Seeds.plant(tenant.api);
  for (const scope of PERMISSIONS) keys[scope] = (await tenant.createKey([scope])).key;
  routes = routesOf(app.app.get(OpenApi).document);
});

afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

/** Who may do what, given by method and path alone (docs/spec/access.md#scopes). */
function scopeOf({ method, path, id }: Route): Permission | 'read or admin' | 'caller' | 'operator' {
  if (isOtlpPath(path)) return 'ingest';
  if (path === '/metrics') return 'operator';
  if (['/api/credential', '/api/capabilities', '/api/session', '/api/session/projects', '/mcp'].includes(path))
    return 'caller';
  if (id === 'getRecordingMasking') return 'ingest';
  if (id === 'getMasking') return 'read or admin';
  if (id === 'previewMasking') return 'read';
  if (id === 'applyPrices' || /^\/api\/(orgs|projects|keys|audit-log)/.test(path)) return 'admin';
  if (['createTrace', 'createSpan', 'completeSpan', 'failSpan', 'ingest'].includes(id)) return 'ingest';
  if (id === 'createScore') return 'feedback';
  if (['queryAnalytics', 'queryAnalyticsGroups', 'searchSpans', 'previewCaptureRule', 'testAlert'].includes(id))
    return 'read';
  if (/^(claim|claimNext|release|submit)QueueItem$|^claimNextTarget$|^(create|update|delete)Comment$/.test(id))
    return 'review';
  return method === 'GET' ? 'read' : 'write';
}

/** Scopes that let into a route, each by itself. */
const scopesFor = (route: Route): readonly Permission[] => {
  const scope = scopeOf(route);
  if (scope === 'caller') return PERMISSIONS.filter((permission) => permission !== 'feedback');
  if (scope === 'feedback') return ['feedback', 'ingest', 'write'];
  if (scope === 'operator') return [];
  if (scope === 'read or admin') return ['read', 'admin'];
  return scope === 'ingest' || scope === 'review' ? [scope, 'write'] : [scope];
};

const guarded = (): Route[] => routes.filter(({ open }) => !open);

/** The methods to try a route with: a GET route answers HEAD too. */
const methodsOf = ({ method }: Route): string[] => (method === 'GET' ? ['GET', 'HEAD'] : [method]);

/** A route asked for by one method, path and credential, and what may come of it. */
interface Attempt {
  method: string;
  path: string;
  authorization: string | undefined;
  allowed: readonly number[];
}

/** What was answered otherwise; also an answer that is no problem, or repeats the credential. */
async function faultsOf(attempts: readonly Attempt[]): Promise<string[]> {
  const answers = await Promise.all(
    attempts.map(async (attempt) => ({
      attempt,
      answer: await send(app.url, { ...attempt, body: bodyFor(attempt.method) }),
    })),
  );
  return answers.flatMap(({ attempt, answer }) => {
    const fault = faultOf(attempt, answer);
    return fault === undefined
      ? []
      : `${attempt.method} ${attempt.path} with ${attempt.authorization?.slice(0, 40)}: ${fault}`;
  });
}

function faultOf({ method, path, authorization, allowed }: Attempt, answer: CloudAnswer): string | undefined {
  const { status, mediaType, authenticate, text } = answer;
  if (!allowed.includes(status)) return `${status} ${text.slice(0, 100)}`;
  const problems = isThirdPartyPath(decodeURI(path)) ? ['application/json', PROBLEM] : [PROBLEM];
  if (!problems.includes(mediaType)) return `it is ${mediaType}`;
  if ((authenticate === 'Bearer') !== (status === 401)) return `WWW-Authenticate is ${authenticate}`;
  if (method === 'HEAD') return text === '' ? undefined : 'there is a body';
  const credential = authorization?.split(' ').at(-1);
  return credential && credential.length > 10 && text.includes(credential.slice(0, 40))
    ? `it repeats the credential: ${text}`
    : undefined;
}

describe('cloud mode', () => {
  it('lets nobody in without a credential but to health, description and signing in', () => {
    expect(
      routes
        .filter(({ open }) => open)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual([
      ...[
        'beginSignIn',
        'createBrowserSession',
        'endSignIn',
        'getBrowserSession',
        'getHealth',
        'getLiveness',
        'getOpenApi',
        'getReadiness',
        'getSharedSpan',
        'getSharedTrace',
      ],
    ]);
    expect(guarded().length).toBeGreaterThan(65);
  });

  it('serves these, and the page that shows the description, to everybody', async () => {
    for (const path of ['/api/health', '/livez', '/readyz', '/api/openapi.json', '/docs', '/docs/start.js']) {
      for (const authorization of [undefined, 'Bearer nonsense']) {
        const { status } = await send(app.url, { method: 'GET', path, authorization });
        // An app inside a test never says that it is ready.
        expect([path, status]).toEqual([path, path === '/readyz' ? 503 : 200]);
      }
    }
  });

  it('refuses every route to every credential that is none', async () => {
    const revoked = await tenant.createKey(['read', 'write', 'ingest', 'admin']);
    await tenant.api.delete(`/api/keys/${revoked.id}`);
    const ended = await tenant.createKey(['read', 'write', 'ingest', 'admin'], '2020-01-01T00:00:00Z');
    const { key } = tenant;
    const unsigned = new UnsecuredJWT({ sub: 'x', org: tenant.org.id, project: tenant.project.id, scopes: ['admin'] })
      .setExpirationTime('1h')
      .encode();
    const bad = [
      undefined,
      '',
      'Bearer',
      `Bearer ${key.slice(0, -1)}`,
      `Bearer ${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`,
      `Bearer ${newApiKey()}`,
      `Bearer ${'a'.repeat(10_240)}`,
      `Bearer ${key}${'a'.repeat(10_240)}`,
      `Bearer spn_sk_'or'1'='1`,
      `Bearer ' or 1=1 --`,
      `Bearer ${key} ${key}`,
      `Basic ${Buffer.from(`x:${key}`).toString('base64')}`,
      key,
      `Bearer ${revoked.key}`,
      `Bearer ${ended.key}`,
      `Bearer ${unsigned}`,
      `Bearer ${ADMIN_TOKEN}x`,
    ];
    const isForExporters = (authorization?: string): boolean =>
      authorization === key || authorization?.startsWith('Basic') === true;
    const attempts = guarded().flatMap((route) =>
      bad.flatMap((authorization, index) => {
        if (isOtlpPath(route.path) && isForExporters(authorization)) return [];
        const methods = index < 8 ? methodsOf(route) : [route.method];
        return methods.map((method) => ({ method, path: seeds.fill(route.path), authorization, allowed: [401] }));
      }),
    );
    expect(await faultsOf(attempts)).toEqual([]);
  });

  it('gives a path in disguise to nobody who may not have it', async () => {
    const disguises: ((path: string) => string)[] = [
      (path) => `${path}/`,
      (path) => path.replace(/^\//, '//'),
      (path) => path.replaceAll('/', '//').slice(1),
      (path) => path.replace(/(?<=.)\/(?=[^/]*$)/, '%2F'),
      (path) => path.replace(/^\/api/, '/API').replace(/^\/metrics/, '/Metrics'),
      (path) => path.replace(/^\/./, (start) => `/%${start.charCodeAt(1).toString(16)}`),
      (path) => path.replace(/^\//, '/./'),
      (path) => `${path};x=1`,
      (path) => `${path}?token=${tenant.key}`,
    ];
    const attempts = guarded().flatMap((route) => {
      const wrong = PERMISSIONS.find((scope) => !scopesFor(route).includes(scope));
      // Misdirected exports are answered with the right address, without a credential too.
      const closed = isOtlpPath(route.path) ? [401, 404] : [401];
      return disguises.flatMap((disguise) =>
        methodsOf(route).flatMap((method) => {
          const path = disguise(seeds.fill(route.path));
          const isStream = route.path === '/api/events' && path.includes('?token=');
          return [
            ...(isStream ? [] : [{ method, path, authorization: undefined, allowed: closed }]),
            ...(wrong ? [{ method, path, authorization: `Bearer ${keys[wrong]}`, allowed: [403, 404, 405] }] : []),
          ];
        }),
      );
    });
    expect(attempts.length).toBeGreaterThan(1_000);
    expect(await faultsOf(attempts)).toEqual([]);
  });

  it('lets each scope into its own routes and no others', async () => {
    const refused: Attempt[] = [];
    const admitted: Route[] = [];
    for (const route of guarded()) {
      const admitting = scopesFor(route);
      for (const scope of PERMISSIONS.filter((each) => !admitting.includes(each))) {
        const authorization = `Bearer ${keys[scope]}`;
        refused.push({ method: route.method, path: seeds.fill(route.path), authorization, allowed: [403] });
      }
      if (admitting.length > 0) admitted.push(route);
    }
    expect(await faultsOf(refused)).toEqual([]);

    const faults = await Promise.all(
      admitted.flatMap((route) =>
        scopesFor(route).map(async (scope) => {
          // A stream would go on.
          const method = route.path === '/api/events' ? 'HEAD' : route.method;
          const path = route.path.replace(/\{\w+\}/g, 'nothing');
          const { status } = await send(app.url, {
            method,
            path,
            authorization: `Bearer ${keys[scope]}`,
            body: bodyFor(method),
          });
          // An organization is the operator's to make, no matter who administers another.
          const wanted = route.id === 'createOrganization' ? status === 400 : status !== 403;
          return wanted && status !== 401 && status < 500 ? [] : `${method} ${path} with ${scope}: ${status}`;
        }),
      ),
    );
    expect(faults.flat()).toEqual([]);
    expect((await tenant.api.get('/api/traces')).status).toBe(200);
  });

  it('lets the operator do what is administrative, and see no data', async () => {
    const rules: readonly string[] = ['admin', 'read or admin', 'operator', 'caller'];
    // It changes spans of a project, and the operator has none.
    const isOfOperator = (route: Route): boolean => rules.includes(scopeOf(route)) && route.id !== 'applyPrices';
    const expected = new Map(guarded().map((route) => [route, isOfOperator(route)]));
    for (const [route, administrative] of expected) {
      const { status } = await send(app.url, {
        method: route.method,
        path: route.path.replace(/\{\w+\}/g, 'nothing'),
        authorization: `Bearer ${ADMIN_TOKEN}`,
        body: bodyFor(route.method),
      });
      expect([route.id, status === 403]).toEqual([route.id, !administrative]);
      expect(status).not.toBe(401);
    }
  });

  it('lets the token for metrics read these alone', async () => {
    const authorization = `Bearer ${METRICS_TOKEN}`;
    expect((await send(app.url, { method: 'GET', path: '/metrics', authorization })).status).toBe(200);
    const others = guarded().filter(({ path }) => path !== '/metrics');
    const attempts = others.map(({ method, path }) => ({
      method,
      path: seeds.fill(path),
      authorization,
      allowed: [403],
    }));
    expect(await faultsOf(attempts)).toEqual([]);
    expect(
      (await send(app.url, { method: 'GET', path: '/metrics', authorization: `Bearer ${tenant.key}` })).status,
    ).toBe(403);
  });
});
