import type { BrowserSessionResource, MemberResource, Permission, Role } from '@spandrel/contract';
import { holds, ROLES, SCOPES_OF_ROLES } from '@spandrel/contract/browser';

/** Somebody who gives rights to others: nobody gives what they do not have (docs/spec/access.md#who-administers). */
export type Giver = Pick<BrowserSessionResource, 'role' | 'scopes'>;

/** Whether somebody may give a key this scope. */
export const mayGiveScope = ({ scopes }: Giver, scope: Permission): boolean => holds(scopes, scope);

const mayGiveRole = (giver: Giver, role: Role): boolean =>
  (role !== 'owner' || giver.role === 'owner') && SCOPES_OF_ROLES[role].every((scope) => mayGiveScope(giver, scope));

/** Roles that somebody may give, the one that may most first. @param projectId a project; `null` for all of them. */
export const rolesToGive = (giver: Giver, projectId: string | null): Role[] =>
  ROLES.filter((role) => mayGiveRole(giver, role) && (projectId === null || (role !== 'owner' && role !== 'admin')));

/** What somebody may do about a member. @param members all of the organization, as far as they were read. */
export function actsOn(
  giver: Giver,
  member: MemberResource,
  members: readonly MemberResource[],
): { change: boolean; remove: boolean } {
  const isOwner = member.role === 'owner';
  const isLastOwner = isOwner && !members.some(({ id, role }) => role === 'owner' && id !== member.id);
  if (member.source === 'groups' || isLastOwner) return { change: false, remove: false };
  return { change: mayGiveRole(giver, member.role), remove: !isOwner || giver.role === 'owner' };
}
