import { rawSql, sql, type Sql } from '@spandrel/storage';
import type { Actor } from './actor.js';

/** What an actor may see, as a condition: what is of its organization; everything for the operator. */
export const visibleTo = ({ orgId }: Actor, orgColumn: string): Sql =>
  orgId === null ? sql`1 = 1` : sql`${rawSql(orgColumn)} = ${orgId}`;

/** The condition of {@link visibleTo} in the form that an entity manager takes. */
export const inOrganization = ({ orgId }: Actor): { orgId?: string } => (orgId === null ? {} : { orgId });
