import { Conflict, NotFound } from '@spandrel/kernel';

export const organizationNotFound = (): NotFound =>
  new NotFound('organization_not_found', 'there is no such organization');

export const projectNotFound = (): NotFound => new NotFound('project_not_found', 'there is no such project');

export const keyNotFound = (): NotFound => new NotFound('key_not_found', 'there is no such API key');

/** @param project the protected one, named where the request itself does not. */
export const projectProtected = (project?: { id: string; name: string }): Conflict =>
  new Conflict(
    'project_protected',
    `the project${project ? ` "${project.name}" (${project.id})` : ''} is protected; an administrator can lift that (PATCH /api/projects/{id})`,
  );

export const memberNotFound = (): NotFound => new NotFound('member_not_found', 'there is no such member');

/** @throws Conflict `being_deleted` */
export function assertNotDeleting(what: 'project' | 'organization', row: { deletingAt: number | null }): void {
  if (row.deletingAt !== null) throw new Conflict('being_deleted', `the ${what} is being deleted`);
}
