import { Injectable } from '@nestjs/common';
import {
  PERMISSIONS,
  formatTimestamp,
  isStorableText,
  type CreateKey,
  type Deleted,
  type KeyCreated,
  type KeyResource,
  type ListAccess,
} from '@spandrel/contract';
import { Invalid, invalidRequest, newId } from '@spandrel/kernel';
import { AuditTrail, type AuditedAct } from '@spandrel/audit';
import { Storage, type Page } from '@spandrel/storage';
import { requireAll, type Actor } from '../organizations/actor.js';
import { digestOf, newApiKey, shownPrefixOf } from './api-key.js';
import type { ApiKeyRow } from './api-key.entity.js';
import { ApiKeyStore } from './api-key.store.js';
import { mapPage } from '../pages.js';
import { assertNotDeleting, keyNotFound, projectNotFound } from '../not-found.js';
import { ProjectStore } from '../organizations/project.store.js';
import { permissionsOf } from './permissions.js';

/** API keys, as those who administer them see them. */
@Injectable()
export class ApiKeys {
  constructor(
    private readonly storage: Storage,
    private readonly projects: ProjectStore,
    private readonly store: ApiKeyStore,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Makes a key for a project of the actor's organization, with scopes that the actor has.
   * @returns the key too: it cannot be had again.
   * @throws NotFound `project_not_found`, Invalid `validation_failed` when the operator names no project, DomainError
   *   `insufficient_scope` for scopes that the actor lacks.
   */
  async create(actor: Actor, { name, scopes, project_id, expires_at }: CreateKey): Promise<KeyCreated> {
    requireAll(actor, scopes);
    const projectId = project_id ?? actor.projectId;
    if (projectId === null) throw projectMissing();
    if (!isStorableText(projectId)) throw projectNotFound();
    const key = newApiKey();
    const given = { id: newId(), createdAt: Date.now(), expiresAt: expires_at ?? null };
    const row = await this.storage.write(async (tx) => {
      const project = await this.projects.find(tx, actor, projectId);
      if (!project) throw projectNotFound();
      assertNotDeleting('project', project);
      const made: ApiKeyRow = {
        ...given,
        orgId: project.orgId,
        projectId,
        name,
        prefix: shownPrefixOf(key),
        digest: digestOf(key),
        scopes: JSON.stringify(PERMISSIONS.filter((permission) => scopes.includes(permission))),
      };
      this.store.insert(tx, made);
      this.audit.record(tx, { action: 'key.created', ...audited(made) });
      return made;
    });
    return { ...keyResource(row), key };
  }

  /** The keys of the actor's organization (the operator sees all), newest first. @throws Invalid `invalid_cursor`. */
  async list(actor: Actor, query: ListAccess): Promise<Page<KeyResource>> {
    return mapPage(await this.store.list(actor, query), keyResource);
  }

  /** Ends a key; every instance refuses it within a second. @throws NotFound `key_not_found` */
  async delete(actor: Actor, id: string): Promise<Deleted> {
    await this.storage.write(async (tx) => {
      const row = await this.store.findForWrite(tx, actor, id);
      if (!row) throw keyNotFound();
      this.store.delete(tx, row);
      this.audit.record(tx, { action: 'key.deleted', ...audited(row) });
    });
    return { id, deleted: true };
  }
}

function projectMissing(): Invalid {
  const message = 'must be given: the credential of the request belongs to no project';
  return invalidRequest([{ path: 'project_id', message }]);
}

const audited = (row: ApiKeyRow): Omit<AuditedAct, 'action'> => ({
  ...{ orgId: row.orgId, projectId: row.projectId, targetId: row.id, targetName: row.name },
  details: {
    name: row.name,
    project_id: row.projectId,
    scopes: permissionsOf(row),
    expires_at: row.expiresAt === null ? null : formatTimestamp(row.expiresAt),
  },
});

const keyResource = (row: ApiKeyRow): KeyResource => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  scopes: permissionsOf(row),
  org_id: row.orgId,
  project_id: row.projectId,
  expires_at: row.expiresAt === null ? null : formatTimestamp(row.expiresAt),
  created_at: formatTimestamp(row.createdAt),
});
