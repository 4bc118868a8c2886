/** Tells of projects beyond the caller's own; the feature `access` provides it, in local mode nobody does. */
export interface ProjectDirectory {
  /**
   * @returns the organization that a project belongs to; `undefined` when there is no such project, or it is being deleted.
   * @throws Unavailable
   */
  organizationOf(projectId: string): Promise<string | undefined>;
}

/** Injection token of the {@link ProjectDirectory}. */
export const PROJECT_DIRECTORY = Symbol('project directory');
