import { describe, expect, it } from '@jest/globals';
import { SignJWT, UnsecuredJWT } from 'jose';
import type { AccessSettings } from '../access.settings.js';
import { CheckJwt } from './check-jwt.js';
import type { CredentialStore } from './credential.store.js';
import type { JwtSettings } from './jwt.settings.js';

const SECRET = 'a secret of the tests that is long enough';
const NAMES: JwtSettings = {
  ...{ subject: 'sub', organization: 'org', project: 'project', scopes: 'scopes' },
  ...{ roles: 'groups', roleOf: { reviewers: 'reviewer', read: 'owner' } },
};
const store: Pick<CredentialStore, 'tenantsByProject'> = {
  tenantsByProject: async (ids) =>
    ids.flatMap((projectId) =>
      projectId === 'project-1' ? { projectId, orgId: 'org-1', rateLimit: null, projectRateLimit: null } : [],
    ),
};

const checkJwt = new CheckJwt(
  store as CredentialStore,
  { jwtSecret: SECRET, jwksUrl: null, jwtIssuer: null, jwtAudience: null } as AccessSettings,
  NAMES,
);

const CLAIMS = { sub: 'user-1', org: 'org-1', project: 'project-1', scopes: ['read'] };
const now = (): number => Math.floor(Date.now() / 1_000);
const sign = (claims: Record<string, unknown>, secret = SECRET, alg = 'HS256'): Promise<string> =>
  new SignJWT({ exp: now() + 60, ...claims }).setProtectedHeader({ alg }).sign(Buffer.from(secret));

const failed = async (token: string): Promise<string[]> =>
  (await checkJwt.execute(token)).rules.filter(({ ok }) => ok === false).map(({ rule }) => rule);

describe('the check of a JWT', () => {
  it('lets one in that fails nothing, and says what it may do', async () => {
    const check = await checkJwt.execute(await sign({ ...CLAIMS, groups: 'reviewers strangers' }));
    expect(check).toMatchObject({
      valid: true,
      allows: {
        sub: 'user-1',
        org_id: 'org-1',
        project_id: 'project-1',
        roles: ['reviewer'],
        scopes: ['read', 'review'],
      },
    });
    expect(check.rules.every(({ ok }) => ok)).toBe(true);
  });

  it.each<[string, () => string | Promise<string>, string[]]>([
    ['that is none', () => 'nonsense', ['form']],
    ['without a signature', () => new UnsecuredJWT({ ...CLAIMS }).setExpirationTime('1h').encode(), ['algorithm']],
    ['by another algorithm', () => sign(CLAIMS, SECRET.repeat(2), 'HS512'), ['algorithm']],
    ['by another secret', () => sign(CLAIMS, 'x'.repeat(40)), ['signature']],
    ['that has expired', () => sign({ ...CLAIMS, exp: now() - 1 }), ['exp']],
    ['without an end', () => sign({ ...CLAIMS, exp: undefined }), ['exp']],
    ['that begins later', () => sign({ ...CLAIMS, nbf: now() + 60 }), ['nbf']],
    ['without sub', () => sign({ ...CLAIMS, sub: undefined }), ['sub']],
    ['whose org is a number', () => sign({ ...CLAIMS, org: 7 }), ['org']],
    ['of no project', () => sign({ ...CLAIMS, project: '' }), ['project']],
    ['of an unknown project', () => sign({ ...CLAIMS, project: 'project-2' }), ['project known']],
    ["of another organization's project", () => sign({ ...CLAIMS, org: 'org-2' }), ['project known']],
    [
      'with several faults',
      () => sign({ exp: now() - 1 }, 'x'.repeat(40)),
      ['signature', 'exp', 'sub', 'org', 'project', 'scopes'],
    ],
  ])('names the rule that a token %s fails', async (_what, token, rules) => {
    const text = await token();
    expect(await failed(text)).toEqual(rules);
    expect(await checkJwt.execute(text)).toMatchObject({ valid: false, allows: null });
  });

  it('says where it looked and what it found, and that a token may do nothing', async () => {
    const { rules, valid } = await checkJwt.execute(await sign({ ...CLAIMS, org: ['org-1'], scopes: 'fly' }));
    expect(valid).toBe(false);
    expect(rules).toContainEqual(
      expect.objectContaining({ rule: 'org', detail: expect.stringContaining('at org: ["org-1"]') }),
    );
    expect(rules).toContainEqual({
      ...{ rule: 'scopes', ok: false },
      detail: 'at scopes: fly; roles at groups: none, which stand for none; allowed: none',
    });
  });
});
