import type {
  AuditEntry,
  CreateKey,
  CreateMember,
  KeyCreated,
  KeyResource,
  MemberResource,
  OrganizationResource,
  ProjectResource,
  UpdateProject,
  Role,
} from '@spandrel/contract';
import { call } from './call.js';
import { PAGE_ROWS, type ListPage } from './list-page.js';
import type { Query } from './query-text.js';

/** `GET /api/orgs`: the organization that a session's administrator sees, which is their own. */
export async function readOrganization(signal?: AbortSignal): Promise<OrganizationResource | null> {
  const { orgs } = await call<{ orgs: OrganizationResource[] }>('/api/orgs', signal && { signal });
  return orgs[0] ?? null;
}

/** `PATCH /api/orgs/:id`. */
export const renameOrganization = (id: string, name: string): Promise<OrganizationResource> =>
  call(`/api/orgs/${encodeURIComponent(id)}`, { method: 'PATCH', body: { name } });

const projectsPath = (orgId: string): string => `/api/orgs/${encodeURIComponent(orgId)}/projects`;

/** `GET /api/orgs/:id/projects`: a page of projects, oldest first. */
export async function listProjects(
  orgId: string,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<ListPage<ProjectResource>> {
  const answer = await call<{ projects: ProjectResource[]; next_cursor: string | null }>(
    projectsPath(orgId),
    pageOf(cursor, signal),
  );
  return { rows: answer.projects, next: answer.next_cursor };
}

/** `POST /api/orgs/:id/projects`. */
export const createProject = (orgId: string, name: string): Promise<ProjectResource> =>
  call(projectsPath(orgId), { method: 'POST', body: { name } });

/** `DELETE /api/projects/:id`: it is out of reach then, and goes in the background. */
export const deleteProject = (id: string): Promise<ProjectResource> =>
  call(`/api/projects/${encodeURIComponent(id)}`, { method: 'DELETE' });

/** `PATCH /api/projects/:id`. */
export const updateProject = (id: string, body: UpdateProject): Promise<ProjectResource> =>
  call(`/api/projects/${encodeURIComponent(id)}`, { method: 'PATCH', body });

const membersPath = (orgId: string): string => `/api/orgs/${encodeURIComponent(orgId)}/members`;
const memberPath = ({ org_id, id }: MemberResource): string => `${membersPath(org_id)}/${encodeURIComponent(id)}`;

/** `GET /api/orgs/:id/members`: a page of members, oldest first. */
export async function listMembers(
  orgId: string,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<ListPage<MemberResource>> {
  const answer = await call<{ members: MemberResource[]; next_cursor: string | null }>(
    membersPath(orgId),
    pageOf(cursor, signal),
  );
  return { rows: answer.members, next: answer.next_cursor };
}

/** `POST /api/orgs/:id/members`. */
export const addMember = (orgId: string, body: CreateMember): Promise<MemberResource> =>
  call(membersPath(orgId), { method: 'POST', body });

/** `PATCH /api/orgs/:id/members/:member_id`. */
export const changeMember = (member: MemberResource, role: Role): Promise<MemberResource> =>
  call(memberPath(member), { method: 'PATCH', body: { role } });

/** `DELETE /api/orgs/:id/members/:member_id`. */
export const removeMember = (member: MemberResource): Promise<unknown> =>
  call(memberPath(member), { method: 'DELETE' });

/** `GET /api/keys`: a page of API keys, newest first. */
export async function listKeys(cursor: string | null, signal?: AbortSignal): Promise<ListPage<KeyResource>> {
  const answer = await call<{ keys: KeyResource[]; next_cursor: string | null }>('/api/keys', pageOf(cursor, signal));
  return { rows: answer.keys, next: answer.next_cursor };
}

/** `POST /api/keys`: the answer has the key, which cannot be had again. */
export const createKey = (body: CreateKey): Promise<KeyCreated> => call('/api/keys', { method: 'POST', body });

/** `DELETE /api/keys/:id`. */
export const deleteKey = (id: string): Promise<unknown> =>
  call(`/api/keys/${encodeURIComponent(id)}`, { method: 'DELETE' });

/** `GET /api/audit-log/export`: takes the filters of the list. */
export const AUDIT_EXPORT_ADDRESS = '/api/audit-log/export';

/** `GET /api/audit-log`: a page of what was done, newest first. @param query filters by the names of the API. */
export async function listAuditLog(
  query: Query,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<ListPage<AuditEntry>> {
  const page = pageOf(cursor, signal);
  const answer = await call<{ entries: AuditEntry[]; next_cursor: string | null }>('/api/audit-log', {
    ...page,
    query: { ...query, ...page.query },
  });
  return { rows: answer.entries, next: answer.next_cursor };
}

const pageOf = (cursor: string | null, signal?: AbortSignal): { query: Query; signal?: AbortSignal } => ({
  query: { limit: PAGE_ROWS, cursor },
  ...(signal && { signal }),
});
