import { z } from 'zod';

/** What a person may be in an organization, the one that may most first (docs/spec/people.md#roles). */
export const ROLES = ['owner', 'admin', 'editor', 'reviewer', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export const roleSchema = z
  .enum(ROLES)
  .describe('`owner` and `admin` administer; `editor` changes; `reviewer` reads, claims and submits; `viewer` reads.');
