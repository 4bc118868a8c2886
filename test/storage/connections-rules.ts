import { beforeEach, describe, expect, it } from '@jest/globals';
import { LOCAL_SCOPE, NotFound } from '@spandrel/kernel';
import { rawSql, sql } from '@spandrel/storage';
import type { ConnectionsApp } from './connections-app.js';
import { anyRows } from '../support/any-rows.ts';

const KEY = 'sk-rules-0123456789abcdef';
const complete = { name: 'n', provider: 'openai', api_key: KEY };

export function connectionRules(app: () => ConnectionsApp): void {
  const keyOf = async (id: string): Promise<string> => (await app().connections.open(LOCAL_SCOPE, id)).target.apiKey;

  describe('a provider connection', () => {
    it('is made, read and listed, and never shows its key', async () => {
      const created = await app().call('POST', '', { ...complete, default_model: 'm', unknown: 1 });
      expect(created.status).toBe(201);
      const { id, created_at: createdAt } = created.body;
      expect(created.body).toEqual({
        id: expect.stringMatching(/^[0-9A-Z]{26}$/),
        name: 'n',
        provider: 'openai',
        base_url: null,
        default_model: 'm',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
        updated_at: createdAt,
        key_status: 'readable',
      });
      const read = await app().call('GET', `/${id}`);
      expect([read.status, read.body]).toEqual([200, created.body]);
      const listed = await app().call('GET', '');
      expect(listed.body.connections[0]).toEqual(created.body);
      for (const { text } of [created, read, listed]) expect(text).not.toMatch(/sk-rules|0123456789|api_key/);
      expect(await keyOf(id)).toBe(KEY);
    });

    it('keeps names and keys exactly', async () => {
      const apiKey = 'sk- "\\\'%é\u00ff$1:;,~';
      const { id, name } = await app().create({ name: '名 "\'; drop table --', api_key: apiKey });
      expect(name).toBe('名 "\'; drop table --');
      expect(await keyOf(id)).toBe(apiKey);
    });

    it.each([
      ['no name', { name: undefined }, 'name'],
      ['an empty name', { name: '' }, 'name'],
      ['a NUL in the name', { name: 'a\0b' }, 'name'],
      ['no provider', { provider: undefined }, 'provider'],
      ['a provider that is not loaded', { provider: 'nope' }, 'provider'],
      ['a provider by a name of JavaScript', { provider: '__proto__' }, 'provider'],
      ['no key', { api_key: undefined }, 'api_key'],
      ['a key that is null', { api_key: null }, 'api_key'],
      ['a key of another type', { api_key: [KEY] }, 'api_key'],
      ['an empty key for openai', { api_key: '' }, 'api_key'],
      ['an empty key for anthropic', { provider: 'anthropic', api_key: '' }, 'api_key'],
      ['a key with a line break', { api_key: `${KEY}\r\nx: y` }, 'api_key'],
      ['a key beyond Latin-1', { api_key: `${KEY}潮` }, 'api_key'],
      ['custom without a base', { provider: 'custom' }, 'base_url'],
      ['custom with a base of null', { provider: 'custom', base_url: null }, 'base_url'],
      ['a base that is no URL', { base_url: 'api.openai.com/v1' }, 'base_url'],
      ['a base of another scheme', { base_url: 'file:///etc/passwd' }, 'base_url'],
      ['a base with a password', { base_url: 'http://u:p@127.0.0.1/v1' }, 'base_url'],
      ['a base with the path of a call', { base_url: 'http://127.0.0.1/v1/chat/completions' }, 'base_url'],
      ['a base with a NUL', { base_url: 'http://127.0.0.1/\0' }, 'base_url'],
      ['an empty model', { default_model: '' }, 'default_model'],
    ])('is refused with %s', async (_what, change, path) => {
      const answer = await app().call('POST', '', { ...complete, ...change });
      expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed']);
      expect(answer.body.errors!.map((error) => error.path)).toEqual([path]);
      expect(answer.text).not.toMatch(/sk-rules|0123456789/);
    });

    it('names the loaded providers when it knows none of the name', async () => {
      const { body } = await app().call('POST', '', { ...complete, provider: 'nope' });
      expect(body.errors![0]!.message).toContain('openai, anthropic, ollama, custom');
    });

    it.each(['custom', 'ollama'])('may have an empty key for %s', async (provider) => {
      const { id } = await app().create({ provider, api_key: '' });
      expect(await keyOf(id)).toBe('');
    });

    it('that does not exist is 404 everywhere', async () => {
      for (const id of ['nothing', '%00', 'a%ED%A0%80b', '01ARZ3NDEKTSV4RRFFQ69G5FAV']) {
        for (const [method, path, body] of [
          ['GET', `/${id}`],
          ['PUT', `/${id}`, {}],
          ['PUT', `/${id}`, { api_key: KEY }],
          ['DELETE', `/${id}`],
          ['POST', `/${id}/test`],
        ] as const) {
          const answer = await app().call(method, path, body);
          expect([method, path, answer.body.code]).toEqual([
            method,
            path,
            id.startsWith('a%ED') ? 'malformed_request' : 'connection_not_found',
          ]);
        }
      }
    });

    it('is deleted', async () => {
      const { id } = await app().create();
      const deleted = await app().call('DELETE', `/${id}`);
      expect([deleted.status, deleted.body]).toEqual([200, { id, deleted: true }]);
      expect((await app().call('GET', `/${id}`)).status).toBe(404);
      expect((await app().call('DELETE', `/${id}`)).status).toBe(404);
    });
  });

  describe('PUT', () => {
    it('changes the members given and no others', async () => {
      const before = await app().create({ ...complete, base_url: 'http://127.0.0.1:9/v1', default_model: 'm' });
      const put = async (body: object) => (await app().call('PUT', `/${before.id}`, body)).body;
      expect(await put({})).toEqual({ ...before, updated_at: expect.any(String) });
      expect(await put({ name: 'new' })).toMatchObject({ ...before, name: 'new', updated_at: expect.any(String) });
      expect(await put({ default_model: null })).toMatchObject({ name: 'new', default_model: null });
      expect(await put({ default_model: 'm2' })).toMatchObject({ base_url: before.base_url, default_model: 'm2' });
      expect(await put({ api_key: null })).toMatchObject({ default_model: 'm2' });
      expect(await keyOf(before.id)).toBe(KEY);
      const changed = await put({ api_key: 'sk-another-key' });
      expect(JSON.stringify(changed)).not.toContain('another');
      expect(await keyOf(before.id)).toBe('sk-another-key');
      const { updated_at: updatedAt, ...read } = (await app().call('GET', `/${before.id}`)).body;
      expect(read).toEqual({ ...changed, updated_at: undefined });
      expect(Date.parse(updatedAt)).toBeGreaterThanOrEqual(Date.parse(before.updated_at));
    });

    const CONNECTION = { provider: 'custom', base_url: 'https://one.example/v1', api_key: KEY };
    it.each([
      ['another path on the same server', CONNECTION, { base_url: 'https://one.example:443/v2/' }, 200],
      ['another host', CONNECTION, { base_url: 'https://two.example/v1' }, 400],
      ['a host below', CONNECTION, { base_url: 'https://x.one.example/v1' }, 400],
      ['another port', CONNECTION, { base_url: 'https://one.example:444/v1' }, 400],
      ['no encryption', CONNECTION, { base_url: 'http://one.example/v1' }, 400],
      ['another host, key null', CONNECTION, { base_url: 'https://two.example/v1', api_key: null }, 400],
      ['another host, key again', CONNECTION, { base_url: 'https://two.example/v1', api_key: 'sk-new' }, 200],
      ['another host, key emptied', CONNECTION, { base_url: 'https://two.example/v1', api_key: '' }, 200],
      ['another host, no key ever', { ...CONNECTION, api_key: '' }, { base_url: 'https://two.example/v1' }, 200],
      ['another provider', CONNECTION, { provider: 'openai' }, 400],
      ['another provider, key again', CONNECTION, { provider: 'openai', api_key: 'sk-new' }, 200],
      ['a provider that wants a key', { ...CONNECTION, api_key: '' }, { provider: 'openai' }, 400],
      ['an empty key where one is wanted', { ...CONNECTION, provider: 'openai' }, { api_key: '' }, 400],
      ['the default base', { ...CONNECTION, provider: 'openai' }, { base_url: null }, 400],
      [
        'the default base written out',
        { provider: 'openai', api_key: KEY },
        { base_url: 'https://api.openai.com/v1' },
        200,
      ],
      ['away from the default base', { provider: 'openai', api_key: KEY }, { base_url: 'https://two.example' }, 400],
    ])('sends no stored key elsewhere: %s', async (_what, made, body, status) => {
      const { id } = await app().create({ base_url: undefined, ...made });
      const before = (await app().call('GET', `/${id}`)).body;
      const answer = await app().call('PUT', `/${id}`, body);
      expect(answer.status).toBe(status);
      if (status === 400) {
        expect(answer.body.errors!.map(({ path }) => path)).toEqual(['api_key']);
        expect((await app().call('GET', `/${id}`)).body).toEqual(before);
        expect(await keyOf(id)).toBe(made.api_key);
      }
    });

    it('refuses what a new connection would be refused for', async () => {
      const { id } = await app().create();
      for (const [body, path] of [
        [{ name: null }, 'name'],
        [{ provider: 'nope', api_key: KEY }, 'provider'],
        [{ base_url: null, api_key: KEY }, 'base_url'],
        [{ base_url: 'http://127.0.0.1:9/\0' }, 'base_url'],
        [{ api_key: 7 }, 'api_key'],
      ] as const) {
        const answer = await app().call('PUT', `/${id}`, body);
        expect([answer.status, answer.body.errors?.map((error) => error.path)]).toEqual([400, [path]]);
      }
    });
  });

  describe('the list of connections', () => {
    beforeEach(async () => {
      await app().storage.write((tx) => tx.run(sql`delete from provider_connection`));
    });

    it('is newest first, page by page', async () => {
      const made: string[] = [];
      for (let n = 0; n < 7; n++) made.push((await app().create({ name: `n${n}` })).id);
      const all = await app().call('GET', '');
      expect(all.body).toMatchObject({ count: 7, next_cursor: null });
      expect(all.body.connections.map(({ id }) => id)).toEqual(made.toReversed());
      const paged: string[] = [];
      for (let cursor = ''; ;) {
        const { body } = await app().call('GET', `?limit=3${cursor && `&cursor=${cursor}`}`);
        expect(body.count).toBe(body.connections.length);
        paged.push(...body.connections.map(({ id }) => id));
        // What comes in between stands before the pages.
        await app().create();
        if (body.next_cursor === null) break;
        cursor = body.next_cursor;
      }
      expect(paged).toEqual(made.toReversed());
    });

    it.each([
      ['limit=0', 'validation_failed'],
      ['limit=1001', 'validation_failed'],
      ['limit=x', 'validation_failed'],
      ['cursor=x', 'invalid_cursor'],
      [`cursor=${Buffer.from('["spans:cost:desc",1,"a"]').toString('base64url')}`, 'invalid_cursor'],
    ])('refuses %s', async (query, code) => {
      expect((await app().call('GET', `?${query}`)).body.code).toBe(code);
    });
  });

  describe('connections of projects', () => {
    it('do not see each other', async () => {
      const { id } = await app().create({}, 'p1');
      for (const [method, path, body] of [
        ['GET', `/${id}`],
        ['PUT', `/${id}`, { name: 'stolen' }],
        ['DELETE', `/${id}`],
        ['POST', `/${id}/test`],
      ] as const) {
        expect((await app().call(method, path, body, 'p2')).body.code).toBe('connection_not_found');
      }
      expect((await app().call('GET', '', undefined, 'p2')).body.count).toBe(0);
      expect((await app().call('GET', '', undefined, 'p1')).body.connections).toMatchObject([{ id, name: 'c' }]);
      const p2 = { orgId: 'org', projectId: 'p2' };
      await expect(app().connections.open(p2, id)).rejects.toThrow('does not exist');
      const use = app().storage.write((tx) => app().connections.getForUse(tx, p2, id));
      await expect(use).rejects.toMatchObject({ code: 'connection_not_found' });
    });
  });

  describe('a connection in use', () => {
    it('is not deleted, and no use slips in beside its delete', async () => {
      const { storage, uses, connections } = app();
      await storage.write((tx) => tx.run(rawSql('create table test_use (connection_id text not null)')));
      uses.register({
        name: 'test',
        isUsed: async (tx, _scope, id) =>
          (await tx.all(anyRows()`select 1 as one from test_use where connection_id = ${id}`)).length > 0,
      });
      const outcomes = new Set<string>();
      for (let round = 0; round < 20; round++) {
        const { id } = await app().create({ default_model: 'm' });
        const use = () =>
          storage
            .write(async (tx) => {
              const found = await connections.getForUse(tx, LOCAL_SCOPE, id);
              await tx.run(sql`insert into test_use (connection_id) values (${id})`);
              return found;
            })
            .catch((error: unknown) => {
              if (!(error instanceof NotFound)) throw error;
              return undefined;
            });
        const remove = () => app().call('DELETE', `/${id}`);
        const [used, removed] =
          round % 2 === 0
            ? await Promise.all([use(), remove()])
            : ((await Promise.all([remove(), use()])).toReversed() as [
                Awaited<ReturnType<typeof use>>,
                Awaited<ReturnType<typeof remove>>,
              ]);
        const outcome = used ? 'used' : 'deleted';
        outcomes.add(outcome);
        if (used) {
          expect(used).toEqual({
            id,
            name: 'c',
            provider: 'custom',
            baseUrl: 'http://127.0.0.1:9/v1',
            defaultModel: 'm',
          });
          expect([removed.status, removed.body.code]).toEqual([409, 'connection_in_use']);
        } else expect(removed.status).toBe(200);
        expect((await app().call('GET', `/${id}`)).status).toBe(used ? 200 : 404);
        await storage.write((tx) => tx.run(sql`delete from test_use`));
        expect((await remove()).status).toBe(used ? 200 : 404);
      }
      expect(outcomes).toContain('used');
      await storage.write((tx) => tx.run(rawSql('drop table test_use')));
    });
  });
}
