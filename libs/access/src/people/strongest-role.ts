import { ROLES, type Role } from '@spandrel/contract';

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
