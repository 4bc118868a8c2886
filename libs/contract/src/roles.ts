import { z } from 'zod';
import { ROLES } from './role-scopes.js';

export const roleSchema = z
  .enum(ROLES)
  .describe('`owner` and `admin` administer; `editor` changes; `reviewer` reads, claims and submits; `viewer` reads.');
