import { expect, it } from '@jest/globals';
import { Unavailable } from '@spandrel/kernel';
import type { FoundSession } from '../browser-sessions/browser-session.store.js';
import { openTokens, sealTokens, type ProviderTokens } from '../oidc/sealed-tokens.js';
import { ConfirmPerson } from './confirm-person.js';

const tokens = (refreshToken: string): ProviderTokens => ({ refreshToken, accessToken: 'a', idToken: null });

it.each([
  ['is away', [new Unavailable('the database cannot be reached')]],
  ['fails twice', [new Error('conflict'), new Error('conflict')]],
])('keeps the refresh token that was exchanged while the database %s', async (_what, faults) => {
  const row = { id: 's', sealedTokens: sealTokens(tokens('first'), 'cookie', 's'), refreshingAt: 0, refreshedAt: 0 };
  let hasAsked = false;
  const confirm = new ConfirmPerson(
    ...([
      {
        write: async (work: (tx: unknown) => Promise<unknown>) => {
          if (hasAsked && faults.length > 0) throw faults.shift()!;
          return work({});
        },
      },
      { confirmAgain: async () => ((hasAsked = true), { identity: {}, tokens: tokens('second') }) },
      { refreshMs: 300_000, issuer: 'https://idp' },
      { execute: async () => undefined },
      { find: async () => ({ issuer: 'https://idp', subject: 'p' }) },
      { beginConfirming: async () => true, endConfirming: async () => undefined, findForWrite: async () => row },
      {},
      { warn: () => undefined },
    ] as unknown as ConstructorParameters<typeof ConfirmPerson>),
  );
  const session = { id: 's', personId: 'p', refreshedAt: 0, sealedTokens: row.sealedTokens } as FoundSession;
  expect(await confirm.keep(session, 'cookie')).toBe(true);
  expect(openTokens(row.sealedTokens, 'cookie', 's')?.tokens.refreshToken).toBe('second');
});
