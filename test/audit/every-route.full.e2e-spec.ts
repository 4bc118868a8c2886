/** Every administrative and destructive route leaves an entry in the audit log (docs/spec/audit.md#actions). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConnectionsSettings } from '@spandrel/connections';
import { AUDIT_ACTIONS, type AuditEntry } from '@spandrel/contract';
import { OpenApi } from '@spandrel/http';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { tempDir, until } from '../support/spandrel.ts';
import { ADMIN_TOKEN, type Tenant } from '../support/tenant.ts';
import { AUDITED_ACTS, type ActParts } from './audited-acts.ts';

type RouteFacts = OpenApi['routes'][number];

let postgres: TestPostgres;
let app: CloudApp;
let tenant: Tenant;
let routes: readonly RouteFacts[];
const log = join(tempDir(), 'audit.jsonl');

beforeAll(async () => {
  postgres = await startPostgres();
  app = await cloudApp(await createMigrated(postgres, 'audited'), {
    env: { SPANDREL_AUDIT_LOG: log },
    settings: (settings) => void (settings.of(ConnectionsSettings).allowPrivate = ['127.0.0.1']),
  });
  tenant = await app.createTenant();
  ({ routes } = app.app.get(OpenApi));
});

afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

/** Routes that look as if they had to leave an entry and need not, with the reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  exportSpan: 'a span becomes a datapoint of the same project: nothing leaves it',
  exportSpans: 'spans become datapoints of the same project: nothing leaves it',
  previewMasking: 'shows what rules would do to a text and changes nothing',
  testConnection: 'asks a provider for its models and changes nothing',
};

/**
 * Routes that write and leave no entry: they record, or change what people work with, and delete nothing. A new route is in
 * neither list, and fails until somebody has said which it is.
 */
const WORK: ReadonlySet<string> = new Set([
  ...[
    // What it leads to has routes of its own.
    'callMcp',
    'patchTrace',
    'createScore',
    'updateScore',
    'createScoreDefinition',
    'updateScoreDefinition',
    // A rule that is changed or deleted leaves entries.
    'testScoringRule',
    'createDataset',
    'updateDataset',
    'createDatapoint',
    'updateDatapoint',
    'exportSpan',
    'exportSpans',
  ],
  ...['createCaptureRule', 'updateCaptureRule', 'enqueueDatapoints', 'claimNextQueueItem', 'claimQueueItem'],
  ...['enqueueTargets', 'claimNextTarget'],
  ...['releaseQueueItem', 'submitQueueItem', 'testConnection', 'startEval', 'cancelEval'],
  'testAlertChannel',
  ...['startEvalMatrix', 'retryEval', 'setEvalGates', 'addEvalResults', 'completeEval'],
  // They record the calls that they make.
  ...['tryCall', 'startReplay'],
  ...['createView', 'updateView', 'createBoard', 'updateBoard', 'createComment', 'updateComment'],
]);

/** Actions that no request of this suite leaves, with the suite that shows them. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'key.suspended': 'test/access/leavers',
  'key.resumed': 'test/access/leavers',
  'request.refused': 'test/audit/log',
  'session.refused': 'test/access/identity-provider',
  'retention.applied': 'test/tracing/retention-cloud',
  'secrets.rotated': 'test/audit/every-command',
  'project.deleted': 'test/access/removal',
  'org.deleted': 'test/access/removal',
};

/** Routes that people call who signed in with an identity provider. */
const BY_PEOPLE: ReadonlySet<string> = new Set(['switchProject', 'endSignIn']);

/** Paths of what decides who may do what, and where data goes. */
const SECURITY = /\/(session|keys|orgs|projects|members|roles|groups|masking|provider-connections)(\/|$)/;

/** Whether a route deletes, administers, or moves data in or out, given by method, path and access alone. */
function mustLeaveEntry({ method, path, operation }: RouteFacts): boolean {
  if (method === 'delete' || path.endsWith('/delete')) return true;
  if (/\/(export|import)(\/|-|$)/.test(path)) return true;
  return method !== 'get' && (['admin', 'operator'].includes(operation.access) || SECURITY.test(path));
}

const credentialOf = (as: string): string | undefined =>
  as === 'tenant' ? tenant.key : as === 'operator' ? ADMIN_TOKEN : undefined;

const audited = (): RouteFacts[] => routes.filter(({ operation }) => operation.audited !== undefined);

/** The entries of one request, as the operator sees them. */
async function entriesOf(requestId: string): Promise<AuditEntry[]> {
  const { body } = await app.api.get<{ entries: AuditEntry[] }>('/api/audit-log?limit=50');
  return body.entries.filter(({ request_id }) => request_id === requestId);
}

/** Does the act of a route. @returns the entries that it left. */
async function entriesOfAct(id: string): Promise<AuditEntry[]> {
  const requestId = `request-of-${id}`;
  const send: ActParts['send'] = async (method, path, { body, as = 'tenant', headers = {} } = {}) => {
    const credential = credentialOf(as);
    const response = await fetch(app.url + path, {
      method,
      headers: {
        'x-request-id': requestId,
        ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    await response.arrayBuffer();
    return response;
  };
  const { status } = await AUDITED_ACTS[id]!({ app, tenant, send });
  expect([200, 201, 202]).toContain(status);
  return entriesOf(requestId);
}

describe('every administrative and destructive route', () => {
  it('says in @Operation which entries it leaves', () => {
    const silent = routes
      .filter((route) => mustLeaveEntry(route) && !route.operation.audited?.length)
      .map(({ operation }) => operation.id);
    expect(silent.toSorted()).toEqual(Object.keys(EXEMPT).toSorted());
    expect(audited().length).toBeGreaterThan(20);
  });

  it('is not among the routes that people work with', () => {
    const silent = routes
      .filter(({ method, operation }) => method !== 'get' && !operation.audited?.length)
      .filter(({ operation: { access } }) => !['ingest', 'read'].includes(access))
      .map(({ operation }) => operation.id);
    expect(silent.toSorted()).toEqual([...WORK].toSorted());
  });

  it('is tried here', () => {
    expect(Object.keys(AUDITED_ACTS).toSorted()).toEqual(
      audited()
        .map(({ operation }) => operation.id)
        .toSorted(),
    );
  });

  it('leaves entries of those actions, with who did it, from where and by which request', async () => {
    const faults: unknown[] = [];
    for (const { operation } of audited()) {
      const entries = await entriesOfAct(operation.id);
      const actor = ['createOrganization', 'deleteOrganization'].includes(operation.id)
        ? 'admin'
        : `key:${tenant.keyId}`;
      const isActor = (name: string): boolean =>
        BY_PEOPLE.has(operation.id) ? name.startsWith('person:') : name === actor;
      const isAsDeclared = (entry: AuditEntry): boolean =>
        operation.audited!.some((action) => action === entry.action) &&
        isActor(entry.actor) &&
        entry.address === '127.0.0.1' &&
        entry.hash !== null;
      if (entries.length === 0 || !entries.every(isAsDeclared)) faults.push({ id: operation.id, entries });
    }
    expect(faults).toEqual([]);
  });

  it('leaves no secret and nothing that was recorded', async () => {
    const { body } = await app.api.get('/api/audit-log?limit=1000');
    const text = JSON.stringify(body);
    for (const secret of ['sk-secret', tenant.key.slice(13), ADMIN_TOKEN]) expect(text).not.toContain(secret);
  });

  it('has left every action that there is, but those that other suites show', async () => {
    const { body } = await app.api.get<{ entries: AuditEntry[] }>('/api/audit-log?limit=1000');
    const left = new Set<string>(body.entries.map(({ action }) => action));
    expect(AUDIT_ACTIONS.filter((action) => !left.has(action) && !Object.hasOwn(ELSEWHERE, action))).toEqual([]);
    for (const [action, suite] of Object.entries(ELSEWHERE)) {
      expect([action, (await readFile(`${suite}.full.e2e-spec.ts`, 'utf8')).includes(`${action}'`)]).toEqual([
        action,
        true,
      ]);
    }
  });
});

describe('the log of its own', () => {
  it('has every entry in the order of its chain, as the list shows it', async () => {
    const list = async (): Promise<AuditEntry[]> =>
      (await app.api.get<{ entries: AuditEntry[] }>('/api/audit-log?limit=1000')).body.entries;
    const written = async (): Promise<AuditEntry[]> =>
      (await readFile(log, 'utf8'))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as AuditEntry);
    let [lines, entries]: [AuditEntry[], AuditEntry[]] = [[], []];
    await until(async () => {
      [lines, entries] = [await written(), (await list()).toReversed()];
      return lines.length === entries.length;
    });
    for (const orgId of new Set(entries.map(({ org_id }) => org_id))) {
      const ofChain = lines.filter(({ org_id }) => org_id === orgId);
      expect(ofChain).toEqual(entries.filter(({ org_id }) => org_id === orgId));
      expect(ofChain.map(({ seq }) => seq)).toEqual(ofChain.map((_, index) => index + 1));
    }
  });
});
