import { describe, expect, it } from '@jest/globals';
import { identityOf } from './identity.js';

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

  it('is no address that it does not call verified, unless that is trusted', () => {
    expect(of({ email: 'a@b.example' }).email).toBeNull();
    expect(of({ email: 'a@b.example', email_verified: false }).email).toBeNull();
    expect(of({ email: 'a@b.example', email_verified: 'true' }).email).toBe('a@b.example');
    expect(of({ email: 'a@b.example' }, { ...SETTINGS, trustEmail: true }).email).toBe('a@b.example');
  });

  it('may be little, and nothing that no column can hold', () => {
    expect(of({ preferred_username: 'ada', groups: 'one two' })).toMatchObject({ name: 'ada', groups: ['one', 'two'] });
    expect(of({ name: 'a\0b', groups: 7 })).toMatchObject({ name: null, email: null, groups: [] });
  });
});
