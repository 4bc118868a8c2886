import { PathId } from '@spandrel/http';
import { Param } from '@nestjs/common';
import { Conflict, NotFound, DomainError, WrongCredential } from '@spandrel/kernel';
import type { Page } from '@spandrel/storage';

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

/** The text is equal for every reason, so that somebody who tries keys learns nothing from it. */
export const notValid = (): DomainError =>
  new WrongCredential('the credential is not valid: no API key matches it, or the JWT cannot be verified');

export const expired = (): DomainError => new DomainError('unauthenticated', 'the credential has expired');

export const sessionEnded = (): DomainError => new WrongCredential('the session has ended: sign in again');

/** A page of rows as one of resources. */
export const mapPage = <Row, Item>({ items, nextCursor }: Page<Row>, toItem: (row: Row) => Item): Page<Item> => ({
  items: items.map(toItem),
  nextCursor,
});

/** The organization that a path names. */
export const OrganizationId = () => Param('id', new PathId(organizationNotFound));

/** The project that a path names. */
export const ProjectId = () => Param('id', new PathId(projectNotFound));

/** The member that a path names. */
export const MemberId = () => Param('member_id', new PathId(memberNotFound));

/** The API key that a path names. */
export const KeyId = () => Param('id', new PathId(keyNotFound));
