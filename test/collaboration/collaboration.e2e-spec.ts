import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SharingSettings } from '@spandrel/collaboration';
import type { ScoreResource, ShareCreated, ShareResource, ViewResource } from '@spandrel/contract';
import { OpenApi } from '@spandrel/http';
import { Storage } from '@spandrel/storage';
import { bodyFor, routesOf, send } from '../access/cloud-request.ts';
import type { Api } from '../support/api.ts';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { tempDir } from '../support/spandrel.ts';
import type { Tenant } from '../support/tenant.ts';
import { describeCollaboration, makeTrace } from './describe-collaboration.ts';

describe('what a team shares, in local mode on SQLite', () => {
  let server: ServerApp;
  beforeAll(async () => {
    server = await startServerApp({ dialect: 'sqlite', file: `${tempDir()}/spandrel.db` });
  });
  afterAll(() => server?.close());

  describeCollaboration(() => server.api, { id: 'local', name: null });

  it('has no view for somebody alone, and no links', async () => {
    const view = { name: 'mine', page: 'traces', query: '', scope: 'me' };
    const refused = await server.api.post('/api/views', view);
    expect([refused.status, refused.body.errors![0]!.path]).toEqual([400, 'scope']);
    expect((await server.api.unchecked.get('/api/shares')).status).toBe(404);
  });
});

describe('what a team shares, in cloud mode on Postgres', () => {
  let postgres: TestPostgres;
  let app: CloudApp;
  let tenant: Tenant;
  beforeAll(async () => {
    postgres = await startPostgres();
    app = await cloudApp(await createMigrated(postgres, 'collaboration'));
    tenant = await app.createTenant();
  });
  afterAll(async () => {
    await app?.close();
    await postgres?.stop();
  });

  const author = { id: expect.stringMatching(/^key:/), name: expect.any(String) };
  describeCollaboration(() => tenant.api, author);

  const keyed = async (...scopes: Parameters<Tenant['createKey']>[0]): Promise<Api> =>
    app.anonymous.as((await tenant.createKey(scopes)).key);

  it('shows a view for somebody alone to nobody else', async () => {
    const [ann, bob] = [await keyed('read', 'write'), await keyed('read', 'write')];
    const body = { name: 'mine', page: 'sessions', query: 'x=1', scope: 'me' };
    const { body: view } = await ann.post<ViewResource>('/api/views', body);
    const path = `/api/views/${view.id}`;
    const listed = async (api: Api) => (await api.get<{ count: number }>('/api/views?page=sessions')).body.count;
    expect([await listed(ann), await listed(bob)]).toEqual([1, 0]);
    const answers = [await bob.get(path), await bob.send('PUT', path, { name: 'x' }), await bob.delete(path)];
    expect(answers.map(({ body: { code } }) => code)).toEqual(Array.from({ length: 3 }, () => 'view_not_found'));
    const { body: exported } = await ann.get<{ views: ViewResource[] }>('/api/export/json');
    expect(exported.views.map(({ id }) => id)).not.toContain(view.id);
    const stolen = await bob.post<{ rejected: { code: string }[] }>('/api/import/json', { version: 1, views: [view] });
    expect([stolen.body.rejected[0]?.code, (await ann.get(path)).body]).toEqual(['id_conflict', view]);
    await ann.send('PUT', path, { scope: 'project' });
    expect(await listed(bob)).toBe(1);
  });

  describe('a shared trace', () => {
    const share = async (api: Api, trace: string) =>
      (await api.post<ShareCreated>('/api/shares', { trace_id: trace })).body;
    const tokenOf = ({ path }: ShareCreated): string => path.replace('/s/', '');

    it('opens without a credential, for seven days, and keeps the token from everybody', async () => {
      const { trace, span } = await makeTrace(tenant.api);
      const made = await share(tenant.api, trace);
      expect(made.path).toMatch(/^\/s\/[\w-]{43}$/);
      const token = tokenOf(made);
      expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(7 * 86_400_000);
      const opened = await app.anonymous.get<{ trace: { id: string }; spans: { id: string }[] }>(
        `/api/shared/${token}?preview=20`,
      );
      expect([opened.status, opened.body.trace.id, opened.body.spans.map(({ id }) => id)]).toEqual([
        200,
        trace,
        [span],
      ]);
      expect(opened.headers.get('cache-control')).toBe('no-store');
      expect(opened.headers.get('referrer-policy')).toBe('no-referrer');
      expect(opened.headers.get('x-robots-tag')).toBe('noindex');
      const read = await app.anonymous.get<{ input: unknown; cost: unknown }>(`/api/shared/${token}/spans/${span}`);
      expect(read.body).toMatchObject({ input: 'in', cost: expect.anything() });
      const { body } = await tenant.api.get<{ shares: ShareResource[] }>('/api/shares');
      const listed = body.shares.find(({ id }) => id === made.id)!;
      expect(listed).toMatchObject({ trace_id: trace, created_by: author, opened_at: expect.any(String) });
      expect(JSON.stringify(body)).not.toContain(token);
      const stored = await app.app.get(Storage).em().getConnection().execute('select * from trace_share');
      expect(JSON.stringify(stored)).not.toContain(token);
      expect(JSON.stringify(stored)).toContain(createHash('sha256').update(token).digest('hex'));
    });

    it('opens nothing else: no other route takes the token, no other trace, and nothing that is wrong differs', async () => {
      const { trace } = await makeTrace(tenant.api);
      const other = await makeTrace(tenant.api);
      const token = tokenOf(await share(tenant.api, trace));
      const refusal = await app.anonymous.get(`/api/shared/${'x'.repeat(43)}`);
      expect([refusal.status, refusal.body.code]).toEqual([404, 'share_not_found']);
      const { request_id: _id, ...same } = refusal.body;
      for (const path of [`${token}/spans/${other.span}`, `${token}/spans/none`, 'short', `${token}x`]) {
        const { request_id: _other, ...answer } = (await app.anonymous.get(`/api/shared/${path}`)).body;
        expect([path, answer]).toEqual([path, same]);
      }
      const taken: string[] = [];
      const { document } = app.app.get(OpenApi);
      const guarded = routesOf(document).filter((route) => !route.open);
      expect(guarded.length).toBeGreaterThan(80);
      for (const { method, path: pattern, id } of guarded) {
        const path = pattern.replace(/\{\w+\}/g, trace);
        const { status } = await send(app.url, {
          method,
          path,
          authorization: `Bearer ${token}`,
          body: bodyFor(method),
        });
        if (status !== 401) taken.push(`${id} ${status}`);
        const asQuery = await send(app.url, { method, path: `${path}?token=${token}`, body: bodyFor(method) });
        if (asQuery.status !== 401) taken.push(`${id} ?token= ${asQuery.status}`);
      }
      expect(taken).toEqual([]);
    });

    it('ends when it is revoked, when its time is over, when the trace goes, and when sharing is turned off', async () => {
      const { trace } = await makeTrace(tenant.api);
      const [revoked, over, kept] = [
        await share(tenant.api, trace),
        await share(tenant.api, trace),
        await share(tenant.api, trace),
      ];
      const status = async (made: ShareCreated) => (await app.anonymous.get(`/api/shared/${tokenOf(made)}`)).status;
      expect((await tenant.api.delete(`/api/shares/${revoked.id}`)).status).toBe(200);
      expect((await tenant.api.delete(`/api/shares/${revoked.id}`)).body.code).toBe('share_not_found');
      await app.app
        .get(Storage)
        .em()
        .getConnection()
        .execute('update trace_share set expires_at = 1 where id = ?', [over.id]);
      expect([await status(revoked), await status(over), await status(kept)]).toEqual([404, 404, 200]);
      const settings = app.settings.of(SharingSettings) as { isEnabled: boolean };
      settings.isEnabled = false;
      expect(await status(kept)).toBe(404);
      expect((await tenant.api.post('/api/shares', { trace_id: trace })).status).toBe(404);
      expect((await tenant.api.get<{ sharing: boolean }>('/api/capabilities')).body.sharing).toBe(false);
      settings.isEnabled = true;
      expect(await status(kept)).toBe(200);
      await tenant.api.delete(`/api/traces/${trace}`);
      expect(await status(kept)).toBe(404);
      await tenant.api.post('/api/traces', { id: trace, name: 'another one under the same id' });
      expect(await status(kept)).toBe(404);
      const { body: log } = await tenant.api.get<{ entries: { action: string; target_id: string }[] }>(
        '/api/audit-log',
      );
      const of = (id: string) =>
        log.entries.filter(({ target_id: target }) => target === id).map(({ action }) => action);
      expect(of(revoked.id)).toEqual(['share.revoked', 'share.created']);
    });

    it('needs the scope write, and a trace of the project', async () => {
      const { trace } = await makeTrace(tenant.api);
      const reviewer = await keyed('read', 'review');
      expect((await reviewer.post('/api/shares', { trace_id: trace })).status).toBe(403);
      const other = await app.createTenant();
      expect((await other.api.post('/api/shares', { trace_id: trace })).body.code).toBe('trace_not_found');
      const made = await share(tenant.api, trace);
      expect((await other.api.delete(`/api/shares/${made.id}`)).status).toBe(404);
    });

    it('has its scores, those of people without who gave them and what they wrote', async () => {
      const { trace, span } = await makeTrace(tenant.api);
      const human = { source: 'human', trace_id: trace };
      for (const score of [
        { ...human, id: `${trace}-value`, name: 'helpful', value: 0.5, comment: 'was 0.5' },
        { ...human, id: `${trace}-words`, name: 'note', comment: 'a comment alone' },
        { ...human, id: `${trace}-user`, name: 'thumb', value: 0, comment: 'call me', source: 'end_user' },
        {
          id: `${trace}-judge`,
          name: 'grounded',
          label: 'yes',
          comment: 'has sources',
          source: 'judge',
          span_id: span,
        },
      ])
        expect((await tenant.api.post('/api/scores', score)).status).toBe(201);
      await tenant.api.send('PUT', `/api/scores/${trace}-value`, { value: 1, comment: 'is 1' });
      const { body: whole } = await tenant.api.get<{ scores: ScoreResource[] }>(`/api/traces/${trace}`);
      expect(whole.scores.map(({ comment }) => comment).toSorted()).toEqual([
        ...['a comment alone', 'call me', 'has sources', 'is 1'],
      ]);
      const token = tokenOf(await share(tenant.api, trace));
      const { body } = await app.anonymous.get<{ scores: ScoreResource[] }>(`/api/shared/${token}`);
      expect(body.scores.toSorted((a, b) => a.name.localeCompare(b.name))).toMatchObject([
        { name: 'grounded', label: 'yes', comment: 'has sources', span_id: span },
        { name: 'helpful', value: 1, comment: null, author: '', revisions: [] },
        { name: 'thumb', value: 0, comment: null, author: '', revisions: [] },
      ]);
      expect(body.scores).toHaveLength(3);
      expect((await app.anonymous.get<object>(`/api/shared/${token}/spans/${span}`)).body).not.toHaveProperty('scores');
    });

    it('is masked by rules that are younger than its texts, and gone with its project', async () => {
      const other = await app.createTenant();
      const { body: made } = await other.api.post<{ id: string }>('/api/traces', { name: 'of ann@people.example' });
      const { body: span } = await other.api.post<{ id: string }>('/api/spans', {
        ...{ trace_id: made.id, name: 'to ann@people.example', input: { to: 'ann@people.example', n: 1.0 } },
        metadata: { who: 'ann@people.example' },
      });
      await other.api.post('/api/scores', {
        ...{ trace_id: made.id, name: 'safe', label: 'no', source: 'judge', comment: 'names ann@people.example' },
        metadata: { to: 'ann@people.example' },
      });
      await other.api.send('PUT', `/api/projects/${other.project.id}/masking`, { rules: [{ masker: 'email' }] });
      const token = tokenOf(await share(other.api, made.id));
      const read = async (path: string) => JSON.stringify((await app.anonymous.get(`/api/shared/${path}`)).body);
      expect(JSON.stringify((await other.api.get(`/api/spans/${span.id}`)).body)).toContain('ann@people.example');
      expect(await read(`${token}?preview=100`)).not.toContain('ann@people.example');
      expect(await read(token)).toContain('"comment":"names ');
      expect(await read(`${token}/spans/${span.id}`)).not.toContain('ann@people.example');
      expect(await read(`${token}/spans/${span.id}`)).toContain('"id"');
      await other.api.delete(`/api/projects/${other.project.id}`);
      expect((await app.anonymous.get(`/api/shared/${token}`)).status).toBe(404);
    });
  });
});
