import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Unavailable } from '@spandrel/kernel';
import type { AuditAction } from '@spandrel/contract';
import type { AccessSettings } from '../access.settings.js';
import { AccessMemory } from './access-memory.js';
import { digestOf, newApiKey } from './api-keys.js';
import type { CredentialStore, KeyRow } from './credential.store.js';
import { Credentials } from './credentials.js';
import type { JwtSettings } from './jwt.settings.js';

const SETTINGS: AccessSettings = {
  adminToken: null,
  jwtSecret: null,
  jwksUrl: null,
  jwtIssuer: null,
  jwtAudience: null,
  ...{ requestsPerSecond: 100, projectRequestsPerSecond: null, keyRequestsPerSecond: null, projectShare: 0.2 },
  ...{ keysEndWithMaker: true, keyMaxAgeMs: null, makerConfirmedMs: 1_000_000 },
  eventStreams: 100,
  ...{ starterDays: 7, teamDays: 30, enterpriseDays: 90 },
  insecureCookie: false,
  dashboardOrigin: null,
  feedbackOrigins: [],
};

const NAMES: JwtSettings = {
  ...{ subject: 'sub', organization: 'org', project: 'project', scopes: 'scopes', roles: null, roleOf: {} },
};

const rowOf = (key: string): KeyRow => ({
  id: 'key-1',
  name: 'first',
  digest: digestOf(key),
  scopes: '["read"]',
  expiresAt: null,
  projectId: 'project-1',
  orgId: 'org-1',
  rateLimit: null,
  ...{ projectRateLimit: null, keyRateLimit: null, createdAt: 0 },
  ...{ makerPersonId: null, role: null, confirmedAt: null, refusedAt: null, sessionId: null, tokenKey: null },
  sessionRefreshedAt: null,
});

/** Credentials on a database that `rows` makes, and the queries that reached it. */
function credentialsOn(rows: () => KeyRow[]) {
  const queries: (readonly string[])[] = [];
  const store: Pick<CredentialStore, 'keysByDigest' | 'tenantsByProject'> = {
    keysByDigest: async (digests) => {
      queries.push(digests);
      return rows().filter(({ digest }) => digests.includes(digest));
    },
    tenantsByProject: async () => [],
  };
  let changed: (actions: ReadonlySet<AuditAction>) => void;
  const memory = new AccessMemory({ onRecorded: (listener) => void (changed = listener) });
  const credentials = new Credentials(store as CredentialStore, SETTINGS, NAMES, memory, {
    keepMaker: () => undefined,
  });
  return { credentials, queries, recorded: (action: AuditAction) => changed(new Set([action])) };
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('an API key', () => {
  it('that never was one does not reach the database', async () => {
    const { credentials, queries } = credentialsOn(() => []);
    const key = newApiKey();
    for (const guess of [key.slice(0, -1), `${key}0`, 'spn_sk_', `spn_sk_${'0'.repeat(49)}`]) {
      expect(await credentials.find(guess)).toBeUndefined();
    }
    expect(queries).toEqual([]);
  });

  it('that nobody has is asked about once, and a flood of them with one query', async () => {
    const { credentials, queries } = credentialsOn(() => []);
    const guesses = Array.from({ length: 1_000 }, newApiKey);
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    const found = await Promise.all([...guesses, ...guesses].map((guess) => credentials.find(guess)));
    expect(found.every((each) => each === undefined)).toBe(true);
    await Promise.all(guesses.map((guess) => credentials.find(guess)));
    expect(queries.map(({ length }) => length)).toEqual([1_000]);
  });

  it('is known for less than a second after it was deleted', async () => {
    const key = newApiKey();
    let rows = [rowOf(key)];
    const { credentials } = credentialsOn(() => rows);
    const askedAt = performance.now();
    expect(await credentials.find(key)).toMatchObject({ caller: { id: 'key-1' }, rates: { org: 100, guaranteed: 20 } });
    rows = [];
    expect(await credentials.find(key)).toBeDefined();
    jest.spyOn(performance, 'now').mockReturnValue(askedAt + 999);
    expect(await credentials.find(key)).toBeUndefined();
  });

  it('is neither valid nor invalid while the database is away', async () => {
    const key = newApiKey();
    let away = true;
    const { credentials } = credentialsOn(() => {
      if (away) throw new Unavailable('the database did not answer; try again soon');
      return [rowOf(key)];
    });
    await expect(credentials.find(key)).rejects.toMatchObject({ code: 'unavailable' });
    away = false;
    expect(await credentials.find(key)).toMatchObject({ caller: { id: 'key-1' } });
  });
});
