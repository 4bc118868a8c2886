/** A change of access counts at once at the server that made it (docs/spec/access.md#how-fast-a-change-of-access-counts). */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MemberResource, ProjectResource } from '@spandrel/contract';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { signInAs } from '../support/person.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import type { Tenant } from '../support/tenant.ts';

let postgres: TestPostgres;
let app: CloudApp;
let tenant: Tenant;

beforeAll(async () => {
  postgres = await startPostgres();
  app = await cloudApp(await createMigrated(postgres, 'at_once'));
  tenant = await app.createTenant();
});
afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

type Headers = Record<string, string>;

/** The status of a request on a connection of its own. */
const statusOf = (headers: Headers, path = '/api/traces', method = 'GET'): Promise<number> =>
  new Promise((done, failed) => {
    request(app.url + path, { method, headers, agent: false }, (response) => {
      response.resume().on('end', () => done(response.statusCode!));
    })
      .on('error', failed)
      .end();
  });

/**
 * Looks a credential up again and again while a change is made, so that look-ups from before it are under way and kept.
 * @returns what requests get that begin when the change has been answered.
 */
async function after(headers: Headers, change: () => Promise<unknown>, of = statusOf): Promise<number[]> {
  expect(await of(headers)).toBe(200);
  let isOver = false;
  const keepAsking = async (): Promise<void> => {
    while (!isOver) await of(headers);
  };
  const asking = Promise.all([keepAsking(), keepAsking(), keepAsking(), keepAsking()]);
  await change();
  const statuses = await Promise.all([of(headers), of(headers), of(headers)]);
  statuses.push(await of(headers));
  isOver = true;
  await asking;
  return statuses;
}

const gone = [401, 401, 401, 401];
const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` });
const membersPath = (): string => `/api/orgs/${tenant.org.id}/members`;

/** Headers of a new member's browser. */
async function joined(email: string, role: string): Promise<{ headers: Headers; member: MemberResource }> {
  const { body } = await app.api.post<MemberResource>(membersPath(), { email, role });
  return { headers: await signInAs(app, email), member: body };
}

/** Headers of a browser that was signed in with a key. */
async function signedInWith(key: string, cookie?: string): Promise<Headers> {
  const page = { 'sec-fetch-site': 'same-origin', ...(cookie !== undefined && { cookie }) };
  const { headers } = await app.anonymous.send('POST', '/api/session', { credential: key }, page);
  return { cookie: headers.get('set-cookie')!.split(';')[0]!, 'sec-fetch-site': 'same-origin' };
}

describe('at the server that answered', () => {
  it('a cookie is nothing once its browser was signed out', async () => {
    const { headers } = await joined('out@people.example', 'viewer');
    expect(await after(headers, () => statusOf(headers, '/api/session', 'DELETE'))).toEqual(gone);
    const byKey = await signedInWith(tenant.key);
    expect(await after(byKey, () => statusOf(byKey, '/api/session', 'DELETE'))).toEqual(gone);
  });

  it('the earlier cookie is nothing once its browser has signed in again', async () => {
    const headers = await signedInWith(tenant.key);
    expect(await after(headers, () => signedInWith(tenant.key, headers['cookie']))).toEqual(gone);
  });

  it('a key is nothing once it was deleted, and so is a session that it opened', async () => {
    const { id, key } = await tenant.createKey(['read']);
    const session = await signedInWith(key);
    expect(await statusOf(session)).toBe(200);
    expect(await after(bearer(key), () => app.api.delete(`/api/keys/${id}`))).toEqual(gone);
    expect(await statusOf(session)).toBe(401);
    const other = await tenant.createKey(['read']);
    const opened = await signedInWith(other.key);
    expect(await after(opened, () => app.api.delete(`/api/keys/${other.id}`))).toEqual(gone);
  });

  it('a role may no more than the one that it became, and nothing once it was taken', async () => {
    const { headers, member } = await joined('less@people.example', 'admin');
    const administers: typeof statusOf = (of) => statusOf(of, '/api/keys');
    const lower = () => app.api.patch(`${membersPath()}/${member.id}`, { role: 'viewer' });
    expect(await after(headers, lower, administers)).toEqual([403, 403, 403, 403]);
    expect(await after(headers, () => app.api.delete(`${membersPath()}/${member.id}`))).toEqual(gone);
  });

  it('the cookie of one project is nothing once its browser went on to another one', async () => {
    const other = await app.api.post<ProjectResource>(`/api/orgs/${tenant.org.id}/projects`, { name: 'other' });
    const { headers } = await joined('switch@people.example', 'viewer');
    const change = () => app.anonymous.send('PATCH', '/api/session', { project_id: other.body.id }, headers);
    expect(await after(headers, change)).toEqual(gone);
  });

  it('a key is nothing once its project or its organization is being deleted', async () => {
    const { key, project } = await app.createTenant();
    expect(await after(bearer(key), () => app.api.delete(`/api/projects/${project.id}`))).toEqual(gone);
    const { key: second, org } = await app.createTenant();
    expect(await after(bearer(second), () => app.api.delete(`/api/orgs/${org.id}`))).toEqual(gone);
  });
});
