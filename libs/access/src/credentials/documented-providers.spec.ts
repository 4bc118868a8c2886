/** The examples of docs/identity-providers.md: settings and claims are read from the page. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadSettings } from '@spandrel/kernel';
import { SignJWT, type JWTPayload } from 'jose';
import { AccessSettings } from '../access.settings.js';
import { CheckJwt } from './check-jwt.js';
import type { CredentialStore } from './credential.store.js';
import { JwtVerifier } from './jwt.js';
import { JwtSettings } from './jwt.settings.js';

const ORG = '01KAORGANIZATION0000000000';
const PROJECT = '01KAPROJECT000000000000000';

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const others = generateKeyPairSync('rsa', { modulusLength: 2048 });
const directory = mkdtempSync(join(tmpdir(), 'spandrel-providers-'));
let server: Server;
let jwksUrl: string;

beforeAll(async () => {
  const jwks = { keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig' }] };
  server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(jwks));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

const page = readFileSync('docs/identity-providers.md', 'utf8');

/** Settings and claims of the section of a provider. */
function exampleOf(provider: string) {
  const section = page.split(`\n## ${provider}\n`)[1]!.split('\n## ')[0]!;
  const block = (language: string): string => section.split(`\n\`\`\`${language}\n`)[1]!.split('\n```')[0]!;
  const file = join(directory, `${provider}.yaml`);
  writeFileSync(file, block('yaml'));
  const settings = loadSettings([AccessSettings, JwtSettings], {
    args: ['--config', file],
    env: {},
    cwd: process.cwd(),
  });
  const claims = JSON.parse(block('json')) as JWTPayload;
  return { access: settings.of(AccessSettings), names: settings.of(JwtSettings), claims };
}

const sign = (claims: JWTPayload, key = keys.privateKey, kid = 'k1'): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' }).setExpirationTime('5m').sign(key);

const store: Pick<CredentialStore, 'tenantsByProject'> = {
  tenantsByProject: async (ids) =>
    ids.flatMap((projectId) =>
      projectId === PROJECT ? { projectId, orgId: ORG, rateLimit: null, projectRateLimit: null } : [],
    ),
};

describe.each([
  ['Keycloak', ['read', 'write', 'ingest', 'review'], '0d2b4f0e-5a53-4f2c-9a80-6f2ec8a1a6d4'],
  ['Entra ID', ['read', 'write', 'ingest', 'review'], '690222be-ff1a-4d56-abd1-7e4f7d38e474'],
  ['Auth0', ['read', 'write'], 'auth0|5f7c8ec7c33c6c004bbafe82'],
])('the documented settings for %s', (provider, permissions, sub) => {
  const { access, names, claims } = exampleOf(provider);
  const settings = () => ({ ...access, jwksUrl }) as AccessSettings;
  const check = async (token: string) => new CheckJwt(store as CredentialStore, settings(), names).execute(token);
  const failing = async (token: string): Promise<string[]> =>
    (await check(token)).rules.filter(({ ok }) => ok === false).map(({ rule }) => rule);

  it('read its tokens', async () => {
    const token = await sign(claims);
    const read = await new JwtVerifier(settings(), names).verify(token);
    expect(read).toMatchObject({ sub, org: ORG, project: PROJECT, permissions });
    expect(await check(token)).toMatchObject({
      valid: true,
      allows: { sub, org_id: ORG, project_id: PROJECT, scopes: permissions },
    });
  });

  it('say which rule another token fails', async () => {
    expect(await failing(await sign({ ...claims, iss: 'https://elsewhere.example' }))).toEqual(['iss']);
    expect(await failing(await sign({ ...claims, aud: 'another' }))).toEqual(['aud']);
    expect(await failing(await sign({ ...claims, nbf: Math.floor(Date.now() / 1_000) + 600 }))).toEqual(['nbf']);
    expect(await failing(await sign(claims, others.privateKey))).toEqual(['signature']);
    expect(await failing(await sign(claims, keys.privateKey, 'k2'))).toEqual(['key']);
    const bare = { iss: claims.iss, aud: claims.aud } as JWTPayload;
    expect((await failing(await sign(bare))).slice(0, 1)).toEqual(['sub']);
    expect(await failing(await sign(bare))).toEqual(expect.arrayContaining(['sub', 'scopes']));
  });
});
