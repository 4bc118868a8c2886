/**
 * A table whose rows belong to a project or an organization and go with it (docs/spec/projects.md#deleting-a-project). A
 * test refuses tables with such a column that no feature lists.
 */
export interface OwnedTable {
  readonly table: string;
  /** The column that names the owner. */
  readonly by: 'project_id' | 'org_id';
}

/** Tables by whose column `project_id` their rows go. */
export const ofProjects = (...tables: readonly string[]): OwnedTable[] =>
  tables.map((table) => ({ table, by: 'project_id' }));
