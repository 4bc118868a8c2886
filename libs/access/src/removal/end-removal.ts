import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '@spandrel/audit';
import { LOGGER, type Logger } from '@spandrel/kernel';
import { objectFromJsonText, Storage } from '@spandrel/storage';
import { OrganizationStore } from '../organizations/organization.store.js';
import { ProjectStore } from '../organizations/project.store.js';
import { PersonStore } from '../people/person.store.js';
import type { RemovalRow } from './removal.entity.js';
import { RemovalStore } from './removal.store.js';

/** How often, and how long, it is looked again for rows that came too late, such as those of a server that was asleep. */
const AGAIN_MS = 600_000;
const LOOKED_MS = 86_400_000;

/** Ends a removal of which nothing is left: the project or organization itself goes, and the audit log has what went. */
@Injectable()
export class EndRemoval {
  constructor(
    private readonly storage: Storage,
    private readonly store: RemovalStore,
    private readonly projects: ProjectStore,
    private readonly organizations: OrganizationStore,
    private readonly people: PersonStore,
    private readonly audit: AuditTrail,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws LeaseLost */
  async execute(removal: RemovalRow, owner: string): Promise<void> {
    const now = Date.now();
    const ended = await this.storage.write(async (tx) => {
      const row = await this.store.findForEnd(tx, removal, owner);
      if (row.finishedAt !== null && now - row.finishedAt > LOOKED_MS) {
        await this.store.delete(tx, row);
        return undefined;
      }
      await this.store.finish(tx, row, now, now + AGAIN_MS);
      if (row.finishedAt !== null) return undefined;
      const { id, kind, orgId, name } = row;
      const isProject = kind === 'project';
      await this.people.forget(tx, id);
      await (isProject ? this.projects.delete(tx, id) : this.organizations.delete(tx, id));
      const details = {
        rows_deleted: row.rowsDeleted,
        rows: objectFromJsonText(row.counts),
        requested_by: row.requestedBy,
        took_ms: now - row.requestedAt,
      };
      const action = isProject ? 'project.deleted' : 'org.deleted';
      const where = { orgId, ...(isProject && { projectId: id }) };
      this.audit.record(tx, { action, ...where, targetId: id, targetName: name, details });
      return { id, kind, rowsDeleted: row.rowsDeleted, tookMs: now - row.requestedAt };
    });
    if (ended) this.logger.info(ended, 'a removal is done');
  }
}
