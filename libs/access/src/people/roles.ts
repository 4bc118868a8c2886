import { ROLES, type Role } from '@spandrel/contract';
import type { OpenProjectRow } from './person.store.js';

/** A project that a person may open, and as what. */
export interface OpenProject {
  id: string;
  name: string;
  org: { id: string; name: string };
  role: Role;
}

/** One entry a project, in the order of the rows; of several roles the one that may most. */
export function openProjectsOf(rows: readonly OpenProjectRow[]): OpenProject[] {
  const projects = new Map<string, OpenProject>();
  for (const { id, name, orgId, orgName, role } of rows) {
    const known = projects.get(id);
    if (!known) projects.set(id, { id, name, org: { id: orgId, name: orgName }, role });
    else if (ROLES.indexOf(role) < ROLES.indexOf(known.role)) known.role = role;
  }
  return [...projects.values()];
}

/** One row an id, of rows that have one for each role: of several roles the one that may most. */
export function strongestRole<Row extends { id: string; role: Role | null }>(rows: readonly Row[]): Row[] {
  const strongest = new Map<string, Row>();
  for (const row of rows) {
    const known = strongest.get(row.id)?.role;
    if (known && row.role && ROLES.indexOf(known) <= ROLES.indexOf(row.role)) continue;
    strongest.set(row.id, row);
  }
  return [...strongest.values()];
}
