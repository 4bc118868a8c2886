/** An identity provider on loopback: `oidc-provider`, with people and groups that tests change. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import type Provider from 'oidc-provider';
import type { GrantContext } from 'oidc-provider';

export const OIDC_CLIENT = { id: 'spandrel', secret: 'a client secret of the tests that is long enough' };

/** Somebody whom the provider knows. */
export interface KnownPerson {
  name: string;
  email: string;
  email_verified: boolean;
  groups: string[];
}

export interface IdentityProviderOptions {
  /** Whether it gives refresh tokens; it does when left out. */
  refreshTokens?: boolean;
  /** Whether the ID token has what the scopes name, as those of most providers. */
  fullIdTokens?: boolean;
  /** How long access tokens last, in seconds. */
  accessTokenSeconds?: number;
}

/** A running provider. */
export interface TestIdentityProvider {
  issuer: string;
  /** By what they type as their login; who is deleted is known no more. */
  people: Map<string, KnownPerson>;
  /** Requests that it got, by method and path. */
  requests: string[];
  /** While set, it answers every request with 503. */
  isDown: boolean;
  /** Paths that are answered 503. */
  downAt: Set<string>;
  close(): Promise<void>;
}

/** Made once: a key takes a tenth of a second and more. */
let signingKey: object | undefined;
const keyOfProviders = (): object =>
  (signingKey ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }));

/**
 * Starts one.
 * @param origins where browsers may be sent back to.
 */
export async function startIdentityProvider(
  origins: readonly string[],
  options: IdentityProviderOptions = {},
): Promise<TestIdentityProvider> {
  const people = new Map<string, KnownPerson>();
  const requests: string[] = [];
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const running: TestIdentityProvider = {
    ...{ issuer, people, requests, isDown: false, downAt: new Set() },
    close: () => closed(server),
  };
  const provider: Provider = await quietly(
    (Made) =>
      new Made(
        issuer,
        configuration(people, origins, options, () => provider),
      ),
  );
  const handle = provider.callback();
  server.on('request', (request, response) => {
    requests.push(`${request.method} ${request.url!.split('?')[0]}`);
    if (running.isDown || running.downAt.has(request.url!)) response.writeHead(503).end();
    else if (request.url === '/favicon.ico') response.writeHead(204).end();
    else handle(request, response);
  });
  return running;
}

/** It warns that it is set up for development, which a test is. */
async function quietly(make: (of: typeof Provider) => Provider): Promise<Provider> {
  const warnings = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  try {
    return make((await import('oidc-provider')).default);
  } finally {
    warnings.mockRestore();
  }
}

const closed = (server: Server): Promise<void> =>
  new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });

function configuration(
  people: ReadonlyMap<string, KnownPerson>,
  origins: readonly string[],
  { refreshTokens = true, fullIdTokens = false, accessTokenSeconds = 3_600 }: IdentityProviderOptions,
  provider: () => Provider,
): Record<string, unknown> {
  return {
    clients: [
      {
        client_id: OIDC_CLIENT.id,
        client_secret: OIDC_CLIENT.secret,
        redirect_uris: origins.map((origin) => `${origin}/api/session/oidc/callback`),
        post_logout_redirect_uris: origins.map((origin) => `${origin}/sign-in`),
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    jwks: { keys: [{ ...keyOfProviders(), kid: 'k1', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['a key of the tests'] },
    scopes: ['openid', 'offline_access'],
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'], groups: ['groups'] },
    conformIdTokenClaims: !fullIdTokens,
    pkce: { required: () => true },
    ttl: {
      AccessToken: accessTokenSeconds,
      RefreshToken: 86_400,
      IdToken: 3_600,
      Session: 86_400,
      Grant: 86_400,
      Interaction: 600,
    },
    // One that was exchanged and comes again ends the grant.
    rotateRefreshToken: true,
    issueRefreshToken: () => refreshTokens,
    findAccount: (_context: unknown, sub: string) =>
      people.has(sub) ? { accountId: sub, claims: () => ({ sub, ...people.get(sub) }) } : undefined,
    // Nobody is asked whether this service may know them.
    loadExistingGrant: async ({ oidc: { client, session, params } }: GrantContext) => {
      const grant = new (provider().Grant)({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope(params.scope ?? 'openid');
      await grant.save();
      return grant;
    },
  };
}
