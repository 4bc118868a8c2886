import type { Answer, Api } from '../support/api.ts';
import type { CloudApp } from '../support/cloud-app.ts';
import { newId } from '@spandrel/kernel';
import { IdentityProvider } from '../../libs/access/src/oidc/identity-provider.ts';
import { AttemptCookie, newAttempt } from '../../libs/access/src/oidc/sign-in-attempt.ts';
import { identityOf, signInAs } from '../support/person.ts';
import type { Tenant } from '../support/tenant.ts';
import { madeBundle } from '../transfer/bundle-parts.ts';

/** What an act works with. */
export interface ActParts {
  app: CloudApp;
  tenant: Tenant;
  /** Sends the request whose entries are looked for. */
  send: Send;
}

/** @param as the tenant's key unless given otherwise. */
type Send = (
  method: string,
  path: string,
  options?: { body?: unknown; as?: string; headers?: Record<string, string> },
) => Promise<Response>;

/** Makes what an act needs and does it: one for each route that leaves entries, by the id of its operation. */
export const AUDITED_ACTS: Readonly<Record<string, (parts: ActParts) => Promise<Response>>> = {
  createOrganization: ({ send }) => send('POST', '/api/orgs', { body: { name: 'made' }, as: 'operator' }),
  updateOrganization: ({ send, tenant }) => send('PATCH', `/api/orgs/${tenant.org.id}`, { body: { name: 'renamed' } }),
  createProject: ({ send, tenant }) => send('POST', `/api/orgs/${tenant.org.id}/projects`, { body: { name: 'made' } }),
  updateProject: ({ send, tenant }) =>
    send('PATCH', `/api/projects/${tenant.project.id}`, { body: { name: 'renamed' } }),
  deleteProject: async ({ send, tenant: { api, org } }) =>
    send('DELETE', `/api/projects/${await made(api.post(`/api/orgs/${org.id}/projects`, { name: 'goes' }))}`),
  deleteOrganization: async ({ send, app }) =>
    send('DELETE', `/api/orgs/${(await app.createTenant()).org.id}`, { as: 'operator' }),
  putMasking: ({ send, tenant }) =>
    send('PUT', `/api/projects/${tenant.project.id}/masking`, { body: { rules: [{ masker: 'email' }] } }),
  createMember: ({ send, tenant }) =>
    send('POST', `/api/orgs/${tenant.org.id}/members`, { body: { email: `${newId()}@x.example`, role: 'viewer' } }),
  updateMember: async ({ send, tenant }) => {
    const path = `/api/orgs/${tenant.org.id}/members`;
    const id = await made(tenant.api.post(path, { email: `${newId()}@x.example`, role: 'viewer' }));
    return send('PATCH', `${path}/${id}`, { body: { role: 'editor' } });
  },
  deleteMember: async ({ send, tenant }) => {
    const path = `/api/orgs/${tenant.org.id}/members`;
    const id = await made(tenant.api.post(path, { email: `${newId()}@x.example`, role: 'viewer' }));
    return send('DELETE', `${path}/${id}`);
  },
  switchProject: async ({ send, app, tenant }) => {
    const headers = await signInAs(app, await invited(tenant));
    return send('PATCH', '/api/session', { as: 'nobody', headers, body: { project_id: tenant.project.id } });
  },
  endSignIn: async ({ send, app, tenant }) => {
    const identity = identityOf(await invited(tenant));
    const provider = app.app.get(IdentityProvider);
    Object.defineProperty(provider, 'isSet', { value: true, configurable: true });
    provider.confirmed = async () => ({
      identity,
      tokens: { refreshToken: null, accessToken: 'none', idToken: null },
    });
    const cookie = new AttemptCookie(false).set(newAttempt('/', null)).split(';')[0]!;
    return send('GET', '/api/session/oidc/callback?code=x&state=y', { as: 'nobody', headers: { cookie } });
  },
  deleteView: async ({ send, tenant: { api } }) =>
    send('DELETE', `/api/views/${await made(api.post('/api/views', { name: 'x', page: 'traces', query: '' }))}`),
  deleteComment: async ({ send, tenant: { api } }) => {
    const trace = await made(api.post('/api/traces', {}));
    const body = { target_type: 'trace', target_id: trace, text: 'x' };
    return send('DELETE', `/api/comments/${await made(api.post('/api/comments', body))}`);
  },
  deleteBoard: async ({ send, tenant: { api } }) =>
    send('DELETE', `/api/boards/${await made(api.post('/api/boards', { name: 'x', figures: [] }))}`),
  createShare: async ({ send, tenant: { api } }) =>
    send('POST', '/api/shares', { body: { trace_id: await made(api.post('/api/traces', {})) } }),
  deleteShare: async ({ send, tenant: { api } }) => {
    const trace = await made(api.post('/api/traces', {}));
    return send('DELETE', `/api/shares/${await made(api.post('/api/shares', { trace_id: trace }))}`);
  },
  createKey: ({ send }) => send('POST', '/api/keys', { body: { name: 'made', scopes: ['read'] } }),
  updateKey: async ({ send, tenant }) =>
    send('PATCH', `/api/keys/${(await tenant.createKey(['read'])).id}`, { body: { name: 'renamed' } }),
  deleteKey: async ({ send, tenant }) => send('DELETE', `/api/keys/${(await tenant.createKey(['read'])).id}`),
  createBrowserSession: ({ send, tenant }) =>
    send('POST', '/api/session', { body: { credential: tenant.key }, as: 'nobody' }),
  deleteBrowserSession: async ({ send, tenant, app }) => {
    const { headers } = await app.anonymous.post('/api/session', { credential: tenant.key });
    const cookie = headers.get('set-cookie')!.split(';')[0]!;
    return send('DELETE', '/api/session', { as: 'nobody', headers: { cookie, 'sec-fetch-site': 'same-origin' } });
  },
  createConnection: ({ send }) => send('POST', '/api/provider-connections', { body: CONNECTION }),
  updateConnection: async ({ send, tenant }) =>
    send('PUT', `/api/provider-connections/${await connection(tenant.api)}`, { body: { name: 'renamed' } }),
  deleteConnection: async ({ send, tenant }) =>
    send('DELETE', `/api/provider-connections/${await connection(tenant.api)}`),
  deleteSpan: async ({ send, tenant: { api } }) => {
    const trace_id = await made(api.post('/api/traces', {}));
    return send('DELETE', `/api/spans/${await made(api.post('/api/spans', { trace_id, ...SPAN }))}`);
  },
  deleteTrace: async ({ send, tenant: { api } }) =>
    send('DELETE', `/api/traces/${await made(api.post('/api/traces', {}))}`),
  deleteTraces: ({ send }) => send('DELETE', '/api/traces'),
  applyPrices: ({ send }) => send('POST', '/api/prices/apply', { body: {} }),
  deleteDataset: async ({ send, tenant }) => send('DELETE', `/api/datasets/${await dataset(tenant.api)}`),
  deleteScore: async ({ send, tenant: { api } }) => {
    const trace = await made(api.post('/api/traces', {}));
    const id = await made(api.post('/api/scores', { name: 'x', value: 1, trace_id: trace }));
    return send('DELETE', `/api/scores/${id}`);
  },
  deleteScoreDefinition: async ({ send, tenant: { api } }) => {
    const id = await made(api.post('/api/score-definitions', { name: newId(), kind: 'number' }));
    return send('DELETE', `/api/score-definitions/${id}`);
  },
  createScoringRule: ({ send }) => send('POST', '/api/scoring-rules', { body: SCORING_RULE }),
  updateScoringRule: async ({ send, tenant: { api } }) =>
    send('PUT', `/api/scoring-rules/${await made(api.post('/api/scoring-rules', SCORING_RULE))}`, {
      body: { name: 'y' },
    }),
  deleteScoringRule: async ({ send, tenant: { api } }) =>
    send('DELETE', `/api/scoring-rules/${await made(api.post('/api/scoring-rules', SCORING_RULE))}`),
  backfillScoringRule: async ({ send, tenant: { api } }) =>
    send('POST', `/api/scoring-rules/${await made(api.post('/api/scoring-rules', SCORING_RULE))}/backfill`, {
      body: {},
    }),
  createAlert: ({ send }) => send('POST', '/api/alerts', { body: ALERT }),
  updateAlert: async ({ send, tenant: { api } }) =>
    send('PUT', `/api/alerts/${await made(api.post('/api/alerts', ALERT))}`, { body: { name: 'renamed' } }),
  deleteAlert: async ({ send, tenant: { api } }) =>
    send('DELETE', `/api/alerts/${await made(api.post('/api/alerts', ALERT))}`),
  createAlertChannel: ({ send }) => send('POST', '/api/alert-channels', { body: CHANNEL }),
  updateAlertChannel: async ({ send, tenant: { api } }) =>
    send('PUT', `/api/alert-channels/${await made(api.post('/api/alert-channels', CHANNEL))}`, { body: { name: 'x' } }),
  deleteAlertChannel: async ({ send, tenant: { api } }) =>
    send('DELETE', `/api/alert-channels/${await made(api.post('/api/alert-channels', CHANNEL))}`),
  deleteDatapoint: async ({ send, tenant: { api } }) => {
    const id = await dataset(api);
    return send('DELETE', `/api/datasets/${id}/datapoints/${await datapoint(api, id)}`);
  },
  deleteDatapoints: async ({ send, tenant: { api } }) => {
    const id = await dataset(api);
    return send('POST', `/api/datasets/${id}/datapoints/delete`, { body: { ids: [await datapoint(api, id)] } });
  },
  deleteCaptureRule: async ({ send, tenant: { api } }) => {
    const id = await dataset(api);
    const rule = await made(api.post(`/api/datasets/${id}/capture-rules`, { name: 'rule', filters: { model: 'm' } }));
    return send('DELETE', `/api/datasets/${id}/capture-rules/${rule}`);
  },
  importDatapoints: async ({ send, tenant }) =>
    send('POST', `/api/datasets/${await dataset(tenant.api)}/import?filename=rows.jsonl`, {
      body: '{"input":"a"}\n{"input":"b"}\n',
      headers: { 'content-type': 'application/x-ndjson' },
    }),
  exportDataset: async ({ send, tenant }) => send('GET', `/api/datasets/${await dataset(tenant.api)}/export`),
  deleteEval: async ({ send, tenant: { api } }) => {
    const id = await dataset(api);
    const run = await made(
      api.post(`/api/datasets/${id}/eval`, {
        name: 'run',
        config: { connection_id: await connection(api), model: 'm' },
        scoring: 'None',
      }),
    );
    return send('DELETE', `/api/eval/${run}`);
  },
  exportJson: async ({ send, tenant: { api } }) => {
    const id = await made(api.post('/api/traces', {}));
    await send('GET', `/api/export/json?trace_id=${id}`);
    return send('GET', '/api/export/json');
  },
  getTraceBundle: async ({ send, tenant: { api } }) => {
    const id = await made(api.post('/api/traces', {}));
    return send('GET', `/api/traces/${id}/bundle`);
  },
  importBundle: ({ send }) => {
    const body = madeBundle('{"version":1}');
    return send('POST', '/api/import/bundle', { body, headers: { 'content-type': 'text/html' } });
  },
  importJson: async ({ send, tenant }) => {
    const { body } = await tenant.api.get('/api/export/json');
    return send('POST', '/api/import/json', { body });
  },
  exportAuditLog: ({ send }) => send('GET', '/api/audit-log/export'),
};

const ALERT = { name: 'dear', measure: 'cost', window: '1h', condition: { op: '>', value: 5 } };
const CHANNEL = { name: 'hook', kind: 'webhook', url: 'https://hooks.example.com/x' };
const CONNECTION = { name: 'model', provider: 'custom', api_key: 'sk-secret', base_url: 'http://127.0.0.1:9/v1' };
const SCORING_RULE = { name: 'rule', scoring: 'None' };
const SPAN = { name: 'span', kind: { type: 'custom' } };

async function made(answer: Promise<Answer<{ id: string }>> | Promise<Answer<unknown>>): Promise<string> {
  const { status, body } = await answer;
  if (status !== 201) throw new Error(`not made: ${status} ${JSON.stringify(body)}`);
  return (body as { id: string }).id;
}

/** An address that has a role in the tenant's project. */
async function invited({ api, org }: Tenant): Promise<string> {
  const email = `${newId()}@x.example`.toLowerCase();
  await made(api.post(`/api/orgs/${org.id}/members`, { email, role: 'viewer' }));
  return email;
}

const connection = (api: Api): Promise<string> => made(api.post('/api/provider-connections', CONNECTION));
const dataset = (api: Api): Promise<string> => made(api.post('/api/datasets', { name: 'rows' }));
const datapoint = (api: Api, id: string): Promise<string> =>
  made(api.post(`/api/datasets/${id}/datapoints`, { kind: { Generic: { input: 'x' } } }));
