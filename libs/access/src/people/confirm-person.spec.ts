import { expect, it, jest } from '@jest/globals';
import { Unavailable } from '@spandrel/kernel';
import type { FoundSession } from '../browser-sessions/browser-session.store.js';
import { openTokens, sealTokens, type ProviderTokens } from '../oidc/sealed-tokens.js';
import { ConfirmPerson } from './confirm-person.js';

const tokens = (refreshToken: string): ProviderTokens => ({ refreshToken, accessToken: 'a', idToken: null });

const AT_ONCE = {
  begin: (_now: number, _since: number): boolean => true,
  ask: async (): Promise<unknown> => undefined,
};

/** @param row the session as it is when the answer is written. */
function confirmWith(row: object, answer: unknown, faults: Error[] = [], { begin, ask } = AT_ONCE) {
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
      { confirmAgain: async () => ((hasAsked = true), await ask(), answer) },
      { refreshMs: 300_000, issuer: 'https://idp' },
      { execute: async () => undefined, refuse: async () => void ended.push('person') },
      { find: async () => ({ issuer: 'https://idp', subject: 'p' }) },
      {
        beginConfirming: async (_tx: unknown, _of: unknown, now: number, since: number) => begin(now, since),
        endConfirming: async () => undefined,
        findForWrite: async () => row,
      },
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

it('is asked by one server where the provider takes all the time that it has', async () => {
  jest.useFakeTimers({ now: 600_000 });
  try {
    let [asked, refreshingAt] = [0, 0];
    const row = { id: 's', sealedTokens: sealed, refreshingAt: 0, refreshedAt: 0 };
    const server = () =>
      confirmWith(row, { identity: {}, tokens: tokens('second') }, [], {
        begin: (now, since) => refreshingAt < since && ((refreshingAt = now), true),
        ask: () => (asked++, new Promise((resolve) => setTimeout(resolve, 4 * 8_000))),
      }).confirm;
    const first = server().keep({ ...session, refreshedAt: 355_000 }, 'cookie');
    await jest.advanceTimersByTimeAsync(31_000);
    await server().keep({ ...session, refreshedAt: 355_000 }, 'cookie');
    await jest.advanceTimersByTimeAsync(60_000);
    await first;
    expect(asked).toBe(1);
  } finally {
    jest.useRealTimers();
  }
});
