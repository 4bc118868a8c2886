import type { AuditEntry, KeyResource, OrganizationResource, ProjectResource } from '@spandrel/contract';

/** One line for people. */
export const organizationLine = ({ id, name, plan, rate_limit }: OrganizationResource): string =>
  `${id}  ${quoted(name)}  plan ${plan}, ${rate_limit} requests/s`;

/** One line for people. */
export const projectLine = ({ id, name, org_id }: ProjectResource): string =>
  `${id}  ${quoted(name)}  of organization ${org_id}`;

/** One line for people. */
export const keyLine = ({ id, name, prefix, scopes, project_id, org_id, expires_at }: KeyResource): string =>
  `${id}  ${quoted(name)}  ${prefix}…  ${scopes.join(',')}  project ${project_id} of organization ${org_id}, ` +
  (expires_at === null ? 'does not end' : `ends ${expires_at}`);

/** One line for people. */
export const auditLine = ({ at, actor, action, target_id, details }: AuditEntry): string =>
  `${at}  ${quoted(actor)}  ${action}  ${target_id}  ${JSON.stringify(details)}`;

/** A name as one word of one line, whatever is in it. */
const quoted = (name: string): string => JSON.stringify(name);
