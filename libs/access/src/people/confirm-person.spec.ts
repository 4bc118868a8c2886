import { expect, it } from '@jest/globals';
import { Unavailable } from '@spandrel/kernel';
import type { FoundSession } from '../browser-sessions/browser-session.store.js';
import { openTokens, sealTokens, type ProviderTokens } from '../oidc/sealed-tokens.js';
import { ConfirmPerson } from './confirm-person.js';

const tokens = (refreshToken: string): ProviderTokens => ({ refreshToken, accessToken: 'a', idToken: null });

/** @param row the session as it is when the answer is written. */
function confirmWith(row: object, answer: unknown, faults: Error[] = []) {
  let hasAsked = false;
  const ended: string[] = [];
  const confirm = new ConfirmPerson(
    ...([
      {
        write: async (work: (tx: unknown) => Promise<unknown>) => {
          if (hasAsked && faults.length > 0) throw faults.shift()!;
          return work({});
        },
      },
      { confirmAgain: async () => ((hasAsked = true), answer) },
      { refreshMs: 300_000, issuer: 'https://idp' },
      { execute: async () => undefined, refuse: async () => void ended.push('person') },
      { find: async () => ({ issuer: 'https://idp', subject: 'p' }) },
      { beginConfirming: async () => true, endConfirming: async () => undefined, findForWrite: async () => row },
      { endForGood: async () => void ended.push('session') },
      { warn: () => undefined },
    ] as unknown as ConstructorParameters<typeof ConfirmPerson>),
  );
  return { confirm, ended };
}

const sealed = sealTokens(tokens('first'), 'cookie', 's');
const session = { id: 's', personId: 'p', refreshedAt: 0, sealedTokens: sealed } as FoundSession;

it.each([
  ['is away', [new Unavailable('the database cannot be reached')]],
  ['fails twice', [new Error('conflict'), new Error('conflict')]],
])('keeps the refresh token that was exchanged while the database %s', async (_what, faults) => {
  const row = { id: 's', sealedTokens: sealed, refreshingAt: 0, refreshedAt: 0 };
  const { confirm } = confirmWith(row, { identity: {}, tokens: tokens('second') }, faults);
  expect(await confirm.keep(session, 'cookie')).toBe(true);
  expect(openTokens(row.sealedTokens, 'cookie', 's')?.tokens.refreshToken).toBe('second');
});

it.each([
  ['ends with a person who is refused', 0, ['session', 'person']],
  ['goes on where another server had the person confirmed since', 1, []],
])('a session %s', async (_what, refreshedAt, expected) => {
  const { confirm, ended } = confirmWith({ id: 's', sealedTokens: sealed, refreshingAt: null, refreshedAt }, 'refused');
  await confirm.keep(session, 'cookie');
  expect(ended).toEqual(expected);
});
