import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Unavailable } from '@spandrel/kernel';
import type { AccessSettings } from '../access.settings.js';
import { IdentityProvider } from '../oidc/identity-provider.js';
import type { OidcSettings } from '../oidc/oidc.settings.js';
import { newAttempt } from '../oidc/sign-in-attempt.js';
import { JwtVerifier } from './jwt.js';
import type { JwtSettings } from './jwt.settings.js';

const MIB = 1024 * 1024;

/** Answers without an end; how much of it was taken. */
let endless: Server;
let issuer: string;
let sent: number;
beforeEach(async () => {
  sent = 0;
  endless = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"keys":"');
    const more = (): void => {
      for (let isTaken = true; isTaken && sent < 64 * MIB; sent += MIB) isTaken = response.write('x'.repeat(MIB));
      if (sent >= 64 * MIB) response.end('"}');
    };
    response.on('drain', more);
    more();
  }).listen(0, '127.0.0.1');
  await once(endless, 'listening');
  issuer = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`;
});
afterEach(() => {
  endless.closeAllConnections();
  endless.close();
});

it('an answer of an identity provider that does not end is not read to its end', async () => {
  const provider = new IdentityProvider(
    { issuer, clientId: 'spandrel', clientSecret: null, scopes: 'openid', prompt: null } as OidcSettings,
    { dashboardOrigin: 'https://spandrel.example' } as AccessSettings,
  );
  await expect(provider.addressFor(newAttempt('/', null))).rejects.toBeInstanceOf(Unavailable);
  expect(sent).toBeLessThan(16 * MIB);
});

it('keys without an end are not read to their end', async () => {
  const settings = { jwtSecret: null, jwksUrl: `${issuer}/keys`, jwtIssuer: null, jwtAudience: null };
  const verifier = new JwtVerifier(settings, {} as JwtSettings);
  const token = `${Buffer.from('{"alg":"RS256","kid":"k"}').toString('base64url')}.e30.AA`;
  await expect(verifier.verifySignature(token, {})).rejects.toBeInstanceOf(Unavailable);
  expect(sent).toBeLessThan(16 * MIB);
});
