import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SignJWT, UnsecuredJWT } from 'jose';
import type { AccessSettings } from '../access.settings.js';
import { JwtVerifier } from './jwt.js';
import type { JwtSettings } from './jwt.settings.js';

const SECRET = 'a secret of the tests that is long enough';
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string;

const jwk = (key: KeyObject, kid: string, alg: string) => ({ ...key.export({ format: 'jwk' }), kid, alg, use: 'sig' });

let published = { keys: [jwk(rsa.publicKey, 'rsa-1', 'RS256'), jwk(ec.publicKey, 'ec-1', 'ES256')] };
let fetched = 0;
let server: Server;
let jwksUrl: string;

beforeAll(async () => {
  server = createServer((_request, response) => {
    fetched++;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(published));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`;
});
afterAll(() => {
  server.close();
});

const verifier = (auth: Partial<AccessSettings>): JwtVerifier =>
  new JwtVerifier({ jwtSecret: null, jwksUrl: null, jwtIssuer: null, jwtAudience: null, ...auth }, NAMES);

const NAMES: JwtSettings = {
  ...{ subject: 'sub', organization: 'org', project: 'project', scopes: 'scopes', roles: null, roleOf: {} },
};

const now = (): number => Math.floor(Date.now() / 1_000);
const CLAIMS = { sub: 'user-1', org: 'org-1', project: 'project-1', scopes: ['read', 'write', 'fly'] };
const claims = (others: Record<string, unknown> = {}) => ({ ...CLAIMS, exp: now() + 60, ...others });

const hs256 = (payload: Record<string, unknown>, header: object = {}, secret: string = SECRET) =>
  new SignJWT(payload).setProtectedHeader({ alg: 'HS256', ...header }).sign(Buffer.from(secret));
const rs256 = (payload: Record<string, unknown>, header: object = {}, key: KeyObject = rsa.privateKey) =>
  new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'rsa-1', ...header }).sign(key);
const es256 = (payload: Record<string, unknown>, header: object = {}) =>
  new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: 'ec-1', ...header }).sign(ec.privateKey);

/** A token of parts that no library would sign. */
function forged(header: object, payload: object, sign: (input: string) => Buffer): string {
  const input = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${input}.${sign(input).toString('base64url')}`;
}
const hmac = (key: string | Buffer) => (input: string) => createHmac('sha256', key).update(input).digest();

describe('a JWT that is valid', () => {
  it.each([
    ['HS256', () => verifier({ jwtSecret: SECRET }).verify(hsToken())],
    ['RS256', async () => verifier({ jwksUrl }).verify(await rs256(claims()))],
    ['ES256', async () => verifier({ jwksUrl }).verify(await es256(claims()))],
    ['HS256 beside a JWKS', async () => verifier({ jwtSecret: SECRET, jwksUrl }).verify(await hs256(claims()))],
  ])('by %s says whose it is', async (_alg, verify) => {
    expect(await verify()).toEqual({
      sub: 'user-1',
      org: 'org-1',
      project: 'project-1',
      permissions: ['read', 'write'],
      expiresAt: expect.any(Number),
    });
  });

  it('may list its scopes as words of one text, and may have none', async () => {
    const verify = async (scopes: unknown) =>
      (await verifier({ jwtSecret: SECRET }).verify(await hs256(claims({ scopes })))).permissions;
    expect(await verify('ingest  read openid')).toEqual(['read', 'ingest']);
    for (const none of [undefined, null, 7, {}, [['admin']], 'ADMIN']) expect(await verify(none)).toEqual([]);
  });

  it('is of the issuer and for the audience that are set', async () => {
    const strict = verifier({ jwtSecret: SECRET, jwtIssuer: 'https://id.example', jwtAudience: 'spandrel' });
    const right = { iss: 'https://id.example', aud: ['other', 'spandrel'] };
    await expect(strict.verify(await hs256(claims(right)))).resolves.toMatchObject({ sub: 'user-1' });
  });
});

const hsToken = (): string => forged({ alg: 'HS256', typ: 'JWT' }, claims(), hmac(SECRET));

describe('a JWT', () => {
  const both = () => verifier({ jwtSecret: SECRET, jwksUrl });
  const strict = () => verifier({ jwtSecret: SECRET, jwtIssuer: 'https://id.example', jwtAudience: 'spandrel' });
  const spkiDer = rsa.publicKey.export({ type: 'spki', format: 'der' });

  it.each<[string, () => JwtVerifier, () => string | Promise<string>]>([
    ['without a signature (none)', both, () => new UnsecuredJWT(claims()).encode()],
    ['without a signature (None)', both, () => forged({ alg: 'None' }, claims(), () => Buffer.alloc(0))],
    ['without an algorithm', both, () => forged({}, claims(), hmac(SECRET))],
    ['with its signature cut off', both, () => `${hsToken().split('.').slice(0, 2).join('.')}.`],
    [
      'signed with the public RSA key as HMAC secret (PEM)',
      both,
      () => forged({ alg: 'HS256', kid: 'rsa-1' }, claims(), hmac(publicPem)),
    ],
    [
      'signed with the public RSA key as HMAC secret (DER)',
      () => verifier({ jwksUrl }),
      () => forged({ alg: 'HS256', kid: 'rsa-1' }, claims(), hmac(spkiDer)),
    ],
    ['signed with an HMAC named RS256', both, () => forged({ alg: 'RS256', kid: 'rsa-1' }, claims(), hmac(SECRET))],
    ['by HS256 where there is no secret', () => verifier({ jwksUrl }), () => hs256(claims())],
    ['by RS256 where there is no JWKS', () => verifier({ jwtSecret: SECRET }), () => rs256(claims())],
    ['signed with an empty secret', both, () => forged({ alg: 'HS256' }, claims(), hmac(''))],
    ['signed with another secret', both, () => hs256(claims(), {}, 'another secret that is long enough too')],
    [
      'by HS512, which is none of ours',
      both,
      () => new SignJWT(claims()).setProtectedHeader({ alg: 'HS512' }).sign(Buffer.from(SECRET.repeat(2))),
    ],
    [
      'by PS256, which is none of ours',
      both,
      () => new SignJWT(claims()).setProtectedHeader({ alg: 'PS256', kid: 'rsa-1' }).sign(rsa.privateKey),
    ],
    ['signed with another RSA key', both, () => rs256(claims(), {}, otherRsa.privateKey)],
    [
      'that brings its key along (jwk)',
      both,
      () => rs256(claims(), { jwk: jwk(otherRsa.publicKey, 'rsa-1', 'RS256') }, otherRsa.privateKey),
    ],
    [
      'that says where its key is (jku)',
      both,
      () => rs256(claims(), { jku: 'http://127.0.0.1:9/keys' }, otherRsa.privateKey),
    ],
    [
      'that says where its certificate is (x5u)',
      both,
      () => rs256(claims(), { x5u: 'http://127.0.0.1:9/cert' }, otherRsa.privateKey),
    ],
    ['with a path as key id', both, () => rs256(claims(), { kid: '../../../../dev/null' })],
    ['with SQL as key id', both, () => rs256(claims(), { kid: "rsa-1' or '1'='1" })],
    ['with the id of a key of another kind', both, () => rs256(claims(), { kid: 'ec-1' })],
    [
      'with an extension that must be understood',
      both,
      () => forged({ alg: 'HS256', crit: ['x'], x: 1 }, claims(), hmac(SECRET)),
    ],
    ['that has expired', both, () => hs256(claims({ exp: now() - 1 }))],
    ['that expires now', both, () => hs256(claims({ exp: now() }))],
    ['that never expires', both, () => hs256({ ...CLAIMS })],
    ['whose expiry is a text', both, () => hs256(claims({ exp: String(now() + 60) }))],
    ['that is not valid yet', both, () => hs256(claims({ nbf: now() + 30 }))],
    ['of another issuer', strict, () => hs256(claims({ iss: 'https://evil.example', aud: 'spandrel' }))],
    ['of no issuer', strict, () => hs256(claims({ aud: 'spandrel' }))],
    ['for another audience', strict, () => hs256(claims({ iss: 'https://id.example', aud: 'other' }))],
    ['for no audience', strict, () => hs256(claims({ iss: 'https://id.example' }))],
    ['without sub', both, () => hs256(claims({ sub: undefined }))],
    ['without org', both, () => hs256(claims({ org: undefined }))],
    ['without project', both, () => hs256(claims({ project: undefined }))],
    ['whose project is a list', both, () => hs256(claims({ project: ['project-1'] }))],
    ['whose project is an object', both, () => hs256(claims({ project: { $ne: null } }))],
    ['whose project no column can hold', both, () => hs256(claims({ project: 'a\0b' }))],
    ['whose payload is no object', both, () => forged({ alg: 'HS256' }, [1], hmac(SECRET))],
    ['that is encrypted', both, () => 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..AAAA.AAAA.AAAA'],
    ['that is none', both, () => 'not-a-token'],
    ['that is dots', both, () => '..'],
  ])('%s is refused', async (_what, make, token) => {
    await expect(make().verify(await token())).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('names neither itself nor a reason in the refusal, but that it has expired', async () => {
    const refusals = await Promise.all(
      [hs256(claims({ exp: now() - 1 })), hs256(claims({ nbf: now() + 30 })), hs256(claims(), {}, 'x'.repeat(40))].map(
        async (token) =>
          both()
            .verify(await token)
            .catch((error: Error) => error.message),
      ),
    );
    expect(refusals).toEqual([
      'the credential has expired',
      'the credential is not valid: no API key matches it, or the JWT cannot be verified',
      'the credential is not valid: no API key matches it, or the JWT cannot be verified',
    ]);
  });
});

describe('the keys of a JWKS', () => {
  it('are fetched once, and not for every key id that somebody makes up', async () => {
    const before = fetched;
    const verify = verifier({ jwksUrl });
    await Promise.all([rs256(claims()), es256(claims())].map(async (token) => verify.verify(await token)));
    for (let guess = 0; guess < 5; guess++) {
      await verify.verify(await rs256(claims(), { kid: `guess-${guess}` })).catch(() => undefined);
    }
    expect(fetched - before).toBe(1);
  });

  it('that cannot be had are no fault of the token', async () => {
    const verify = verifier({ jwksUrl: 'http://127.0.0.1:9/nobody-listens', jwtSecret: SECRET });
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(verify.verify(await rs256(claims()))).rejects.toMatchObject({ code: 'unavailable' });
    }
    await expect(verify.verify(await hs256(claims()))).resolves.toMatchObject({ sub: 'user-1' });
    // What no key could make valid is refused without them.
    await expect(verify.verify(new UnsecuredJWT(claims()).encode())).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('that are no keys are the same', async () => {
    const before = published;
    published = { error: 'maintenance' } as unknown as typeof published;
    try {
      await expect(verifier({ jwksUrl }).verify(await rs256(claims()))).rejects.toMatchObject({ code: 'unavailable' });
    } finally {
      published = before;
    }
  });
});
