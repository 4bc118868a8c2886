import type { MemberResource, Permission, Role } from '@spandrel/contract';
import { describe, expect, it } from '@jest/globals';
import { actsOn, mayGiveScope, rolesToGive, type Giver } from './giving.js';

const ALL: Permission[] = ['read', 'write', 'ingest', 'review', 'admin'];
const owner: Giver = { role: 'owner', scopes: ALL };
const admin: Giver = { role: 'admin', scopes: ALL };
const key = (...scopes: Permission[]): Giver => ({ role: null, scopes });

const member = (id: string, role: Role, source: MemberResource['source'] = 'added') =>
  ({ id, role, source }) as MemberResource;

describe('the roles that somebody may give', () => {
  it.each<[string, Giver, Role[]]>([
    ['an owner', owner, ['owner', 'admin', 'editor', 'reviewer', 'viewer']],
    ['an administrator', admin, ['admin', 'editor', 'reviewer', 'viewer']],
    ['a key with admin and write', key('admin', 'read', 'write'), ['admin', 'editor', 'reviewer', 'viewer']],
    ['a key with admin and read', key('admin', 'read'), ['viewer']],
    ['a key with admin alone', key('admin'), []],
  ])('of %s', (_who, giver, roles) => {
    expect(rolesToGive(giver, null)).toEqual(roles);
  });

  it('in one project leave out those of a whole organization', () => {
    expect(rolesToGive(owner, 'p')).toEqual(['editor', 'reviewer', 'viewer']);
  });
});

describe('the scopes that somebody may give', () => {
  it('are those they have, and what write includes', () => {
    expect(ALL.filter((scope) => mayGiveScope(key('admin', 'write'), scope))).toEqual([
      'write',
      'ingest',
      'review',
      'admin',
    ]);
  });
});

describe('what somebody may do about a member', () => {
  const first = member('1', 'owner');
  const viewer = member('3', 'viewer');
  const both = [first, member('2', 'owner'), viewer];

  it('leaves owners to owners, and the last one in its place', () => {
    expect(actsOn(owner, first, both)).toEqual({ change: true, remove: true });
    expect(actsOn(owner, first, [first, viewer])).toEqual({ change: false, remove: false });
    expect(actsOn(admin, first, both)).toEqual({ change: false, remove: false });
  });

  it('is to take away more than one could give', () => {
    expect(actsOn(admin, viewer, both)).toEqual({ change: true, remove: true });
    expect(actsOn(key('admin'), viewer, both)).toEqual({ change: false, remove: true });
  });

  it('is nothing where a group gives the role', () => {
    expect(actsOn(owner, member('4', 'viewer', 'groups'), both)).toEqual({ change: false, remove: false });
  });
});
