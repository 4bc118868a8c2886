import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Unavailable } from '@spandrel/kernel';
import { SignJWT, type JWTPayload } from 'jose';
import { ResponseBodyError } from 'openid-client';
import type { AccessSettings } from '../access.settings.js';
import { IdentityProvider, identityOf, isRefusal, OtherPerson, type Exchanged } from './identity-provider.js';
import type { OidcSettings } from './oidc.settings.js';
import { newAttempt } from './sign-in-attempt.js';

const answered = (status: number, error: string) =>
  new ResponseBodyError('answered with an error', {
    cause: { error },
    response: new Response(null, { status }),
  });

describe('what the identity provider answers to a refresh', () => {
  it.each([
    ['a grant that is no more', answered(400, 'invalid_grant'), true],
    ['a client that it does not know', answered(401, 'invalid_client'), true],
    ['somebody else', new OtherPerson(), true],
    ['too many requests', answered(429, 'rate_limit_exceeded'), false],
    ['too many requests, by the code of a refusal', answered(429, 'access_denied'), false],
    ['that it is not there for now', answered(400, 'temporarily_unavailable'), false],
    ['an error of its own', answered(500, 'server_error'), false],
    ['nothing', new TypeError('fetch failed'), false],
  ])('%s', (_what, error, expected) => {
    expect(isRefusal(error)).toBe(expected);
  });
});

const SETTINGS = { groupsClaim: 'groups', trustEmail: false };
const of = (claims: Record<string, unknown>, settings = SETTINGS) =>
  identityOf('https://id.example', 'ada', claims, settings);

describe('what an identity provider says of a person', () => {
  it('is name, address and groups', () => {
    const claims = { name: ' Ada ', email: 'Ada@People.example', email_verified: true, groups: ['a', 'b'] };
    expect(of(claims)).toEqual({
      ...{ issuer: 'https://id.example', subject: 'ada', name: 'Ada', email: 'ada@people.example' },
      groups: ['a', 'b'],
    });
  });

  it.each<[trustEmail: boolean, claims: Record<string, unknown>, counts: boolean]>([
    [false, {}, false],
    [false, { email_verified: false }, false],
    [false, { email_verified: true }, true],
    [false, { email_verified: 'true' }, true],
    [false, { email_verified: 'yes' }, false],
    [false, { xms_edov: true }, true],
    [false, { xms_edov: '1' }, true],
    [false, { xms_edov: 0 }, false],
    [false, { email_verified: true, xms_edov: false }, false],
    [true, {}, true],
    [true, { email_verified: null }, true],
    [true, { email_verified: false }, false],
    [true, { email_verified: 'false' }, false],
    [true, { xms_edov: false }, false],
    [true, { xms_edov: '0' }, false],
  ])('is an address that is known to be theirs: trust_email %s, %j: %s', (trustEmail, claims, counts) => {
    const { email } = of({ email: 'a@b.example', ...claims }, { ...SETTINGS, trustEmail });
    expect(email).toBe(counts ? 'a@b.example' : null);
  });

  it('may be little, and nothing that no column can hold', () => {
    expect(of({ preferred_username: 'ada', groups: 'one two' })).toMatchObject({ name: 'ada', groups: ['one', 'two'] });
    expect(of({ name: 'a\0b', groups: 7 })).toMatchObject({ name: null, email: null, groups: [] });
  });
});

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const SECRET = new TextEncoder().encode('the secret of the client, which is long enough');

describe('an ID token', () => {
  const published = newKeys();
  const keys = [{ ...published.publicKey.export({ format: 'jwk' }), kid: 'k', use: 'sig', alg: 'ES256' }];
  let server: Server;
  let issuer: string;
  /** What the provider answers next. */
  let idToken: string | undefined;
  let refreshToken = 'r';
  let isRotating = false;
  /** Paths where it answers 503. */
  const down = new Set<string>();
  /** What it is asked for a refresh. */
  const exchange = (form: URLSearchParams): boolean => {
    const hasGrant = form.get('grant_type') !== 'refresh_token' || form.get('refresh_token') === refreshToken;
    if (hasGrant && isRotating) refreshToken += 'r';
    return hasGrant;
  };

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const isDown = down.has(request.url!);
      const isGranted =
        request.url !== '/token' || (!isDown && exchange(new URLSearchParams(Buffer.concat(chunks).toString())));
      const description = {
        ...{ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` },
        ...{ jwks_uri: `${issuer}/keys`, id_token_signing_alg_values_supported: ['ES256', 'HS256'] },
        userinfo_endpoint: `${issuer}/userinfo`,
      };
      const answers: Record<string, object | undefined> = {
        '/.well-known/openid-configuration': description,
        '/token': { access_token: 'a', token_type: 'bearer', refresh_token: refreshToken, id_token: idToken },
        '/keys': { keys },
        '/userinfo': { sub: 'ada', email: 'ada@people.example' },
      };
      const answer = isGranted ? answers[request.url!] : { error: 'invalid_grant' };
      response
        .writeHead(isDown ? 503 : isGranted ? 200 : 400, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const attempt = newAttempt('/', null);
  const seconds = (ahead = 0): number => Math.floor(Date.now() / 1_000) + ahead;
  const signed = (claims: JWTPayload, key: KeyObject | Uint8Array = published.privateKey, alg = 'ES256') =>
    new SignJWT({
      ...{ iss: issuer, sub: 'ada', aud: 'spandrel', nonce: attempt.nonce, iat: seconds(), exp: seconds(600) },
      ...{ name: 'Ada', ...claims },
    })
      .setProtectedHeader({ alg, kid: 'k' })
      .sign(key);
  const provider = (): IdentityProvider =>
    new IdentityProvider(
      {
        ...{ issuer, clientId: 'spandrel', clientSecret: null, scopes: 'openid', groupsClaim: 'groups' },
      } as OidcSettings,
      { dashboardOrigin: 'https://spandrel.example' } as AccessSettings,
    );
  const signIn = async (token: string) => {
    idToken = token;
    return provider().confirmed(`?code=c&state=${attempt.state}`, attempt);
  };
  const expectNobody = (token: string) => expect(signIn(token)).rejects.toBeInstanceOf(Error);

  it('is taken when the provider has signed it, by a clock a little ahead, too', async () => {
    expect((await signIn(await signed({}))).identity.subject).toBe('ada');
    expect((await signIn(await signed({ iat: seconds(20) }))).identity.name).toBe('Ada');
  });

  it('is not, when somebody else has signed it, nobody has, or a key that is no secret of the provider', async () => {
    await expectNobody(await signed({}, newKeys().privateKey));
    await expectNobody(await signed({}, SECRET, 'HS256'));
    const [head, body] = (await signed({})).split('.');
    const altered = Buffer.from(Buffer.from(body!, 'base64url').toString().replace('ada', 'bob')).toString('base64url');
    await expectNobody([head, altered, (await signed({})).split('.')[2]].join('.'));
    await expectNobody(`${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`);
  });

  it.each<[string, () => JWTPayload]>([
    ['of the future', () => ({ iat: seconds(60) })],
    ['ended', () => ({ iat: seconds(-600), exp: seconds(-60) })],
    ['not yet valid', () => ({ nbf: seconds(60) })],
    ['of another provider', () => ({ iss: 'https://evil.example' })],
    ['for somebody else', () => ({ aud: 'other' })],
    ['for somebody else, too', () => ({ aud: ['spandrel', 'other'], azp: 'other' })],
    ['an answer to another attempt', () => ({ nonce: 'of another' })],
    ['of nobody', () => ({ sub: undefined as never })],
  ])('is not, when it is %s', async (_what, claims) => {
    await expectNobody(await signed(claims()));
  });

  it('of a refresh is looked at in the same way', async () => {
    const tokens = { refreshToken: 'r', accessToken: 'a', accessEndsAt: null, idToken: null };
    idToken = await signed({ nonce: undefined as never });
    expect(await provider().confirmAgain('ada', tokens)).toMatchObject({ identity: { subject: 'ada' } });
    idToken = await signed({ nonce: undefined as never, sub: 'bob' });
    expect(await provider().confirmAgain('ada', tokens)).toBe('refused');
    // The provider has not said that the person is gone.
    idToken = await signed({ nonce: undefined as never }, newKeys().privateKey);
    await expect(provider().confirmAgain('ada', tokens)).rejects.toBeInstanceOf(Unavailable);
  });

  describe('of a refresh that gives another refresh token', () => {
    const tokens = { refreshToken: 'r', accessToken: 'a', accessEndsAt: null, idToken: null };
    beforeEach(() => {
      [isRotating, refreshToken] = [true, 'r'];
    });
    afterEach(() => {
      [isRotating, refreshToken] = [false, 'r'];
      down.clear();
    });

    it.each<[string, string | null, (good: string) => string | Promise<string>]>([
      ['the keys are not there', '/keys', (good) => good],
      ['the userinfo endpoint is not there', '/userinfo', (good) => good],
      ['the ID token is of a clock ahead', null, () => signed({ nonce: undefined as never, nbf: seconds(45) })],
      ['somebody else has signed it', null, () => signed({ nonce: undefined as never }, newKeys().privateKey)],
      ['it is no ID token', null, () => 'x'],
    ])('that one is what is asked with next, when %s', async (_what, path, tokenOf) => {
      const good = await signed({ nonce: undefined as never });
      idToken = await tokenOf(good);
      if (path !== null) down.add(path);
      const first = await provider().confirmAgain('ada', tokens);
      expect(first).toEqual({ problem: expect.any(Unavailable), tokens: { ...tokens, refreshToken: 'rr' } });
      down.clear();
      idToken = good;
      const second = await provider().confirmAgain('ada', (first as Exchanged).tokens);
      expect(second).toMatchObject({ identity: { subject: 'ada' }, tokens: { refreshToken: 'rrr' } });
      expect(await provider().confirmAgain('ada', tokens)).toBe('refused');
    });

    it('is taken from a clock ahead', async () => {
      idToken = await signed({ nonce: undefined as never, iat: seconds(45) });
      const answer = await provider().confirmAgain('ada', tokens);
      expect(answer).toMatchObject({ identity: { subject: 'ada' }, tokens: { refreshToken: 'rr' } });
    });
  });
});
