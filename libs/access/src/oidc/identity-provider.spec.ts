import { describe, expect, it } from '@jest/globals';
import { ResponseBodyError } from 'openid-client';
import { isRefusal, OtherPerson, identityOf } from './identity-provider.js';

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
