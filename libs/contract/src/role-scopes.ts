/** What a credential may do: `scopes` on the wire (docs/spec/access.md#scopes), `permissions` in the code. */
export const PERMISSIONS = ['read', 'write', 'ingest', 'review', 'admin', 'feedback'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** What a person may be in an organization, the one that may most first (docs/spec/people.md#roles). */
export const ROLES = ['owner', 'admin', 'editor', 'reviewer', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** What each role may, in the scopes of keys; an `owner` alone makes and removes owners (docs/spec/people.md#roles). */
export const SCOPES_OF_ROLES: Readonly<Record<Role, readonly Permission[]>> = {
  owner: ['read', 'write', 'ingest', 'review', 'admin'],
  admin: ['read', 'write', 'ingest', 'review', 'admin'],
  editor: ['read', 'write', 'ingest', 'review'],
  reviewer: ['read', 'review'],
  viewer: ['read'],
};

/** The scopes of which any one is enough. */
const HELD_BY: Readonly<Record<Permission, readonly Permission[]>> = {
  read: ['read'],
  write: ['write'],
  ingest: ['ingest', 'write'],
  review: ['review', 'write'],
  admin: ['admin'],
  feedback: ['feedback', 'ingest', 'write'],
};

/** Whether scopes are those of a public key, which sends feedback and does nothing else (docs/spec/access.md#feedback-keys). */
export const isFeedbackAlone = (held: readonly Permission[]): boolean =>
  held.includes('feedback') && !holds(held, 'ingest');

/** Whether somebody with some scopes has one more, by itself or by one that includes it. */
export const holds = (held: readonly Permission[], scope: Permission): boolean =>
  HELD_BY[scope].some((each) => held.includes(each));
