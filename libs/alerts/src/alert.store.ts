import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { AuditTrail, changesBetween } from '@spandrel/audit';
import {
  alertFaults,
  ALERTS_MAX,
  dottedPath,
  formatTimestamp,
  type AlertChange,
  type AlertEvaluation,
  type AlertResource,
  type AlertRule,
  type AlertState,
  type CreateAlert,
  type ExportedAlert,
  type PlainList,
  type RejectedItem,
  type RestoredAlert,
  type UpdateAlert,
} from '@spandrel/contract';
import { invalidRequest, newId, NotFound, type Scope } from '@spandrel/kernel';
import {
  forUpdateSkipLocked,
  fromJsonText,
  IdOrder,
  ProjectRows,
  rawSql,
  shapeOf,
  sql,
  Storage,
  text,
  type Page,
  type WriteTx,
} from '@spandrel/storage';
import {
  Alert,
  AlertChangeEntity,
  alertChangeTable,
  AlertChannel,
  AlertDeliveryEntity,
  alertTable,
  type AlertChangeRow,
  type AlertRow,
} from './alert.entity.js';
import type { GroupState } from './decide-state.js';

/** Behind `returning`, where SQLite knows no alias. */
const CLAIMED = alertTable.select('alert');
const CHANGES = alertChangeTable.select('c');
const NEWEST_CHANGE_FIRST = new IdOrder('alert_changes', 'c.id', 'desc');
const LOCKED = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;

export const alertNotFound = (): NotFound =>
  new NotFound('alert_not_found', 'there is no alert with this id; GET /api/alerts lists them');

/** What an alert measures, as it is stored. */
export const ruleOf = ({ rule }: Pick<AlertRow, 'rule'>): AlertRule => fromJsonText(rule) as AlertRule;
export const groupsOf = ({ groups }: Pick<AlertRow, 'groups'>): GroupState[] => fromJsonText(groups) as GroupState[];

@Injectable()
export class AlertStore extends ProjectRows<AlertRow> {
  constructor(
    storage: Storage,
    private readonly audit: AuditTrail,
  ) {
    super(storage, { entity: Alert, table: alertTable, list: 'alerts', notFound: alertNotFound });
  }

  /** Changes of state, newest first. @throws NotFound `alert_not_found`, Invalid `invalid_cursor`. */
  async history(scope: Scope, id: string, query: PlainList): Promise<Page<AlertChangeRow>> {
    await this.get(scope, id);
    return NEWEST_CHANGE_FIRST.page(query, (rest) =>
      this.storage.readLong(
        CHANGES.query`select ${CHANGES} from alert_change c
          where c.project_id = ${scope.projectId} and c.alert_id = ${id} and ${rest}`,
        scope,
      ),
    );
  }

  /** @throws Invalid for a channel that is none of the project's, and for more alerts than a project may have. */
  create(scope: Scope, body: CreateAlert): Promise<AlertRow> {
    const now = Date.now();
    const row = rowOf(scope, { ...body, id: newId(), created_at: now, updated_at: now });
    return this.storage.write(async (tx) => {
      await this.assertRoom(tx, scope, ALERTS_MAX, 'alerts');
      await assertChannels(tx, scope, ruleOf(row));
      await tx.em.insert(Alert, row);
      this.audit.record(tx, { action: 'alert.created', ...audited(scope, row) });
      return row;
    });
  }

  /** Changes the members given; it is evaluated at once. @throws NotFound `alert_not_found`, Invalid. */
  update(scope: Scope, id: string, body: UpdateAlert): Promise<AlertRow> {
    return this.storage.write(async (tx) => {
      const before = await this.getForWrite(tx, scope, id);
      const old = exportedAlert(before);
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      const now = Date.now();
      const { name, enabled, rule } = rowOf(scope, { ...old, ...given, id, created_at: 0, updated_at: now });
      const [fault] = alertFaults(ruleOf({ rule }));
      if (fault) throw invalidRequest([{ ...fault, path: dottedPath(fault.path) }]);
      // Channels that an import has not brought along are in nobody's way.
      if (body.channel_ids) await assertChannels(tx, scope, ruleOf({ rule }));
      Object.assign(before, { name, enabled, rule, dueAt: now, updatedAt: Math.max(now, before.updatedAt + 1) });
      const { updated_at: _before, ...was } = old;
      const { updated_at: _after, ...is } = exportedAlert(before);
      this.audit.record(tx, { action: 'alert.updated', ...audited(scope, before), details: changesBetween(was, is) });
      return before;
    });
  }

  /** Deletes an alert with its history and its deliveries. @throws NotFound `alert_not_found`. */
  async delete(scope: Scope, id: string): Promise<void> {
    await this.storage.write(async (tx) => {
      const alert = await this.getForWrite(tx, scope, id);
      tx.em.remove(alert);
      const { projectId } = scope;
      await tx.em.nativeDelete(AlertChangeEntity, { projectId, alertId: id });
      await tx.em.nativeDelete(AlertDeliveryEntity, { projectId, alertId: id });
      this.audit.record(tx, { action: 'alert.deleted', ...audited(scope, alert) });
    });
  }

  /**
   * Gives a project the alert that its scoring rules do not get on; once, so that one that was deleted stays away. What an
   * export has brought along has its alerts with it.
   */
  async watchRules(tx: WriteTx, scope: Scope, isRestored: boolean): Promise<void> {
    const isFirst = await tx.run(sql`insert into default_alert (project_id, measure)
      values (${scope.projectId}, ${STALLED_ALERT.measure}) on conflict do nothing`);
    if (isFirst === 0 || isRestored) return;
    if ((await tx.em.count(Alert, { projectId: scope.projectId })) >= ALERTS_MAX) return;
    const now = Date.now();
    await tx.em.insert(Alert, rowOf(scope, { ...STALLED_ALERT, id: newId(), created_at: now, updated_at: now }));
  }

  /** Upserts alerts of an export in one transaction; those that are here keep their state. @returns those for which there is no room. */
  restore(scope: Scope, items: readonly RestoredAlert[]): Promise<RejectedItem<RestoredAlert>[]> {
    return this.storage.write(async (tx) => {
      const here = new Map((await tx.em.find(Alert, { projectId: scope.projectId })).map((row) => [row.id, row]));
      const rejected: RejectedItem<RestoredAlert>[] = [];
      for (const item of items) {
        const { name, enabled, rule, dueAt, ...row } = rowOf(scope, item);
        const known = here.get(item.id);
        if (known) Object.assign(known, { name, enabled, rule, dueAt, updatedAt: item.updated_at });
        else if (here.size >= ALERTS_MAX) rejected.push({ item, code: 'validation_failed', message: NO_ROOM });
        else here.set(item.id, tx.em.create(Alert, { ...row, name, enabled, rule, dueAt }));
      }
      return rejected;
    });
  }

  /** Takes alerts that are due, those that have waited longest first, and puts them off until `until`. */
  async claim(now: number, until: number, limit: number): Promise<AlertRow[]> {
    if (!(await isAnyDue(this.storage, 'alert', now))) return [];
    return this.storage.write((tx) =>
      tx.all(
        CLAIMED.query`with picked as materialized (select k.project_id, k.id from alert k
            where k.due_at <= ${now} order by k.due_at limit ${limit}${forUpdateSkipLocked('k')})
          update alert set due_at = ${until}
          where (project_id, id) in (select project_id, id from picked) returning ${CLAIMED}`,
      ),
    );
  }

  /** The alert as it was claimed, locked; `undefined` when it was changed, deleted or evaluated since. */
  async findClaimed(tx: WriteTx, { projectId, id, explain, updatedAt }: AlertRow): Promise<AlertRow | undefined> {
    return (await tx.em.findOne(Alert, { projectId, id, explain, updatedAt }, LOCKED)) ?? undefined;
  }

  async prune(before: number): Promise<void> {
    await this.storage.write((tx) => tx.run(sql`delete from alert_change where at < ${before}`));
  }
}

const ID = shapeOf({ id: text() });

/**
 * Whether a claim would find something: a transaction that changes nothing keeps other writers waiting, and makes a database whose
 * disk is full look well.
 */
export async function isAnyDue(
  storage: Pick<Storage, 'read'>,
  table: 'alert' | 'alert_delivery',
  now: number,
): Promise<boolean> {
  const due = ID.query`select k.id as id from ${rawSql(table)} k where k.due_at <= ${now} limit 1`;
  return (await storage.read(due)).length > 0;
}

/** `matched > 0 and scored = 0 for 10 min` of a rule. */
const STALLED_ALERT = {
  ...{ name: 'A scoring rule scores nothing', measure: 'scoring_stalled', window: '10m' },
  condition: { op: '>', value: 0 },
} satisfies CreateAlert;

const NO_ROOM = `a project has at most ${ALERTS_MAX} alerts`;

async function assertChannels(tx: WriteTx, { projectId }: Scope, { channel_ids: ids }: AlertRule): Promise<void> {
  const there = new Set((await tx.em.find(AlertChannel, { projectId, id: { $in: ids } })).map(({ id }) => id));
  const faults = ids.flatMap((id, index) =>
    there.has(id) ? [] : [{ path: `channel_ids[${index}]`, message: 'is no alert channel of this project' }],
  );
  if (faults.length > 0) throw invalidRequest(faults);
}

const audited = (scope: Scope, { id, name }: AlertRow) => ({ ...scope, targetId: id, targetName: name });

type Given = CreateAlert & { id: string; created_at: number; updated_at: number };

function rowOf({ projectId }: Scope, { id, created_at: createdAt, updated_at: updatedAt, ...given }: Given): AlertRow {
  const rule: AlertRule = {
    measure: given.measure,
    filters: Object.fromEntries(Object.entries(given.filters ?? {}).filter(([, value]) => value != null)),
    group_by: given.group_by ?? 'none',
    window: given.window,
    condition: given.condition,
    min_count: given.min_count ?? 0,
    for: given.for ?? null,
    cooldown: given.cooldown ?? null,
    channel_ids: [...new Set(given.channel_ids ?? [])],
    severity: given.severity ?? 'warning',
  };
  return {
    ...{ projectId, id, name: given.name, enabled: given.enabled === false ? 0 : 1, rule: JSON.stringify(rule) },
    ...{ state: 'no_data', stateSince: updatedAt, lastValue: null, groups: '[]', explain: null },
    ...{ dueAt: Date.now(), createdAt, updatedAt },
  };
}

/** An alert as an export has it: without its state. */
export const exportedAlert = (row: AlertRow): ExportedAlert => ({
  ...{ id: row.id, name: row.name, enabled: row.enabled === 1 },
  ...ruleOf(row),
  created_at: formatTimestamp(row.createdAt),
  updated_at: formatTimestamp(row.updatedAt),
});

/** A stored alert as the wire shows it. */
export const alertResource = (row: AlertRow): AlertResource => ({
  ...exportedAlert(row),
  state: row.state as AlertState,
  state_since: formatTimestamp(row.stateSince),
  last_value: row.lastValue,
  firing: groupsOf(row).flatMap(({ key, value, firingSince }) =>
    firingSince === null ? [] : [{ key, value, since: formatTimestamp(firingSince) }],
  ),
  explain: row.explain === null ? null : (fromJsonText(row.explain) as AlertEvaluation),
});

/** A change of state as the wire shows it. */
export const alertChange = ({ id, at, key, fromState, toState, value }: AlertChangeRow): AlertChange => ({
  ...{ id, at: formatTimestamp(at), key, from: fromState as AlertState, to: toState as AlertState, value },
});
