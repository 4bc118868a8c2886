import { Inject, Injectable } from '@nestjs/common';
import {
  LOGGER,
  newId,
  BackgroundTasks,
  type Logger,
  Unavailable,
  METRICS,
  registerSourceGauges,
  type SourceGauge,
  pauseUnlessStopped,
  type OwnedTable,
} from '@spandrel/kernel';
import { Counter, type Registry } from '@prometheus-io/client';
import type { RemovalRow } from './removal.entity.js';
import { LeaseLost, RemovalStore } from './removal.store.js';
import { AuditTrail } from '@spandrel/audit';
import { objectFromJsonText, Storage, ProjectRemovers, type ProjectRemover } from '@spandrel/storage';
import { OrganizationStore, ProjectStore } from '../organizations/organization.store.js';
import { PersonStore } from '../people/person.store.js';

type Unfinished = Awaited<ReturnType<RemovalStore['unfinished']>>[number];

/** Shows whether projects and organizations that are being deleted do go. */
@Injectable()
export class RemovalMetrics {
  readonly failures: Counter;

  constructor(@Inject(METRICS) registry: Registry, store: RemovalStore) {
    const registers = [registry];
    this.failures = new Counter({
      name: 'spandrel_removal_failures_total',
      help: 'Times that the removal of a project or an organization could not go on; it is tried again.',
      registers,
    });
    const since = (
      name: string,
      help: string,
      at: 'requestedAt' | 'progressedAt',
    ): SourceGauge<readonly Unfinished[]> => ({
      name,
      help,
      samples: (removals) => [{ value: secondsSince(removals.map((removal) => removal[at])) }],
    });
    registerSourceGauges(registry, () => store.unfinished(), [
      since(
        'spandrel_removal_oldest_seconds',
        'Seconds since the oldest removal that is not done was asked for, on all instances; 0 when there is none.',
        'requestedAt',
      ),
      since(
        'spandrel_removal_stalled_seconds',
        'Seconds for which nothing of a removal has gone, that which has waited longest, on all instances; 0 when there is none.',
        'progressedAt',
      ),
    ]);
  }
}

/** Seconds since the earliest of some times; 0 without any. */
const secondsSince = (times: readonly number[]): number =>
  times.length === 0 ? 0 : Math.max(0, Date.now() - Math.min(...times)) / 1_000;

/** How often removals are looked for that nobody is at. */
const EVERY_MS = 1_000;

/** How long requests that were let in before a removal began may write: statements and transactions end within seconds. */
const SETTLED_MS = 5_000;
/** How long another server waits after one that failed. */
const AGAIN_MS = 10_000;

/** How often, and how long, it is looked again for rows that came too late, such as those of a server that was asleep. */
const LOOK_AGAIN_MS = 600_000;
const LOOKED_MS = 86_400_000;

const ROWS_AT_ONCE = 500;

const LEASE_MS = 10_000;

/** How long is waited between two transactions beyond what the one before took: others have the database too. */
const PAUSE_MS_MIN = 2;

const leaseEnd = (): number => Date.now() + LEASE_MS;

/** Takes projects and organizations away that are being deleted, in the background; any number of servers do it together. */
@Injectable()
export class RemovalTask {
  private readonly owner = newId();
  private current: RemovalRow | undefined;

  constructor(
    private readonly store: RemovalStore,
    private readonly removers: ProjectRemovers,
    private readonly storage: Storage,
    private readonly projects: ProjectStore,
    private readonly organizations: OrganizationStore,
    private readonly people: PersonStore,
    private readonly audit: AuditTrail,
    private readonly metrics: RemovalMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
    tasks: BackgroundTasks,
  ) {
    tasks.add({
      everyMs: EVERY_MS,
      task: (stopped) => this.execute(stopped),
      failure: 'deleted projects could not be looked for; they will be at the next time',
    });
    // A look at many tables, or a store elsewhere, may take longer than a lease.
    tasks.add({
      everyMs: LEASE_MS / 4,
      task: async () => {
        if (this.current) await this.store.renew(this.current, this.owner, leaseEnd());
      },
      failure: 'the lease of a removal could not be renewed',
    });
  }

  private async execute(stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      const removal = await this.store.claim(this.owner, Date.now(), leaseEnd());
      if (!removal) return;
      this.current = removal;
      await this.work(removal, stopped).finally(() => (this.current = undefined));
    }
  }

  private async work(removal: RemovalRow, stopped: AbortSignal): Promise<void> {
    const { id, kind, rowsDeleted } = removal;
    try {
      if (removal.finishedAt === null && removal.step === null) this.logger.info({ id, kind }, 'a removal begins');
      else if (removal.finishedAt === null) this.logger.info({ id, kind, rowsDeleted }, 'a removal goes on');
      const since = Date.now();
      const deleted = await this.removeOwned(removal, stopped);
      if (stopped.aborted) return await this.store.release(removal, this.owner, 0);
      // Not before a whole look finds nothing that began when nobody could write any more.
      if (deleted > 0 || since < removal.requestedAt + SETTLED_MS) {
        const again = Math.max(since + EVERY_MS, removal.requestedAt + SETTLED_MS);
        return await this.store.releaseWell(removal, this.owner, again, Date.now());
      }
      await this.end(removal);
    } catch (error) {
      if (error instanceof LeaseLost) return;
      const failures = removal.failures + 1;
      this.metrics.failures.inc();
      this.logger.warn({ err: error, id, kind, failures }, 'a removal could not go on; it will in a while');
      const again = Date.now() + AGAIN_MS;
      await this.store.releaseFailed(removal, this.owner, again, failureOf(error)).catch(() => undefined);
    }
  }

  /** @returns how many rows went. @throws LeaseLost, and what makes it impossible just now. */
  private async removeOwned(removal: RemovalRow, stopped: AbortSignal): Promise<number> {
    const by = ownerColumn(removal);
    let deleted = 0;
    for (const owned of this.removers.tables) {
      if (owned.by !== by || stopped.aborted) continue;
      deleted += await this.table(removal, owned.table, stopped);
    }
    if (removal.kind !== 'project') return deleted;
    for (const remover of this.removers.removers) {
      if (stopped.aborted) return deleted;
      deleted += await this.elsewhere(removal, remover, stopped);
    }
    return deleted;
  }

  private async elsewhere(removal: RemovalRow, remover: ProjectRemover, stopped: AbortSignal): Promise<number> {
    await this.store.begin(removal, this.owner, remover.name);
    for (let all = 0; ;) {
      const began = performance.now();
      const { removed, isMoreLeft } = await remover.remove(removal.id);
      all += removed;
      if (removed > 0) await this.store.noteRemoved(removal, this.owner, remover.name, removed);
      if (!isMoreLeft || stopped.aborted) return all;
      await rest(began, stopped);
    }
  }

  private async table(removal: RemovalRow, table: string, stopped: AbortSignal): Promise<number> {
    const by = ownerColumn(removal);
    let [deleted, hasBegun] = [0, false];
    for (const leaf of await this.store.leavesOf(table)) {
      while (!stopped.aborted) {
        const began = performance.now();
        const rows = { table, leaf, by, limit: ROWS_AT_ONCE };
        const count = await this.store.deleteRows(removal, this.owner, rows);
        deleted += count;
        if (count < ROWS_AT_ONCE) break;
        if (!hasBegun) await this.store.begin(removal, this.owner, table);
        hasBegun = true;
        await rest(began, stopped);
      }
    }
    return deleted;
  }

  /** Ends a removal of which nothing is left: it goes itself, and the audit log has what went. @throws LeaseLost */
  private async end(removal: RemovalRow): Promise<void> {
    const now = Date.now();
    const ended = await this.storage.write(async (tx) => {
      const row = await this.store.findForEnd(tx, removal, this.owner);
      if (row.finishedAt !== null && now - row.finishedAt > LOOKED_MS) {
        await this.store.delete(tx, row);
        return undefined;
      }
      await this.store.finish(tx, row, now, now + LOOK_AGAIN_MS);
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

/** Codes as systems and databases give them, such as `ECONNREFUSED` or `57014`: they reveal nothing of the installation. */
const CODE = /^[A-Z0-9_]{3,40}$/;

/** Says what failed to an administrator of an organization: without what the error names of the installation. */
export function failureOf(error: unknown): string {
  if (error instanceof Unavailable) return 'the database could not be used';
  const code = (error as { code?: unknown } | null | undefined)?.code;
  const known = typeof code === 'string' && CODE.test(code) ? ` (${code})` : '';
  return `it failed${known}; the log of the servers says more`;
}

const ownerColumn = ({ kind }: RemovalRow): OwnedTable['by'] => (kind === 'project' ? 'project_id' : 'org_id');

/** @param began when the work began that is rested from, on the clock of `performance.now()`. */
const rest = (began: number, stopped: AbortSignal): Promise<void> =>
  pauseUnlessStopped(PAUSE_MS_MIN + performance.now() - began, stopped);
