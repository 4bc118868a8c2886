import { Injectable } from '@nestjs/common';
import {
  fromColumns,
  alertDeliverySchema,
  formatTimestamp,
  type AlertDelivery,
  type AlertDeliveryStatus,
  type ListAlertDeliveries,
} from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  forUpdateSkipLocked,
  fromJsonText,
  IdOrder,
  integer,
  rawSql,
  shapeOf,
  sql,
  Storage,
  type Page,
  type WriteTx,
} from '@spandrel/storage';
import {
  AlertDeliveryEntity,
  alertDeliveryTable,
  type AlertChannelRow,
  type AlertDeliveryRow,
} from './alert.entity.js';
import type { ChannelMessage } from './alert-message.js';
import { isAnyDue } from './alert.store.js';

const COLUMNS = alertDeliveryTable.select('d');
/** Behind `returning`, where SQLite knows no alias. */
const CLAIMED = alertDeliveryTable.select('alert_delivery');
const COUNT = shapeOf({ count: integer() });
const NEWEST_FIRST = new IdOrder('alert_deliveries', 'd.id', 'desc');

/** What channels are sent, and what became of it. */
@Injectable()
export class AlertDeliveryStore {
  constructor(private readonly storage: Storage) {}

  /** Newest first. @throws Invalid `invalid_cursor`. */
  list(
    scope: Scope,
    channelId: string,
    { alert_id: alertId, status, ...query }: ListAlertDeliveries,
  ): Promise<Page<AlertDeliveryRow>> {
    const ofAlert = alertId === undefined ? rawSql('') : sql`and d.alert_id = ${alertId}`;
    const ofStatus = status === undefined ? rawSql('') : sql`and d.status = ${status}`;
    return NEWEST_FIRST.page(query, (rest) =>
      this.storage.readLong(
        COLUMNS.query`select ${COLUMNS} from alert_delivery d where d.project_id = ${scope.projectId}
          and d.channel_id = ${channelId} ${ofAlert} ${ofStatus} and ${rest}`,
        scope,
      ),
    );
  }

  /**
   * Takes deliveries that are due and puts them off until `until`; what an alert sent a channel goes in its order.
   * @param but projects whose deliveries are left.
   */
  async claim(now: number, until: number, limit: number, but: readonly string[]): Promise<AlertDeliveryRow[]> {
    if (!(await isAnyDue(this.storage, 'alert_delivery', now))) return [];
    return this.storage.write((tx) =>
      tx.all(
        CLAIMED.query`with picked as materialized (select k.project_id, k.id from alert_delivery k
            where k.due_at <= ${now} and not ${anyOf('k.project_id', but)} and not exists (select 1 from alert_delivery o
              where o.project_id = k.project_id and o.channel_id = k.channel_id and o.alert_id = k.alert_id
                and o.due_at is not null and o.id < k.id)
            order by k.due_at limit ${limit}${forUpdateSkipLocked('k')})
          update alert_delivery set due_at = ${until}, attempts = alert_delivery.attempts + 1
          where (project_id, id) in (select project_id, id from picked) returning ${CLAIMED}`,
      ),
    );
  }

  /** Notes what became of an attempt, unless the delivery was claimed again or is gone. */
  async save({ projectId, id, dueAt }: AlertDeliveryRow, changes: Partial<AlertDeliveryRow>): Promise<void> {
    await this.storage.write((tx) => tx.em.nativeUpdate(AlertDeliveryEntity, { projectId, id, dueAt }, changes));
  }

  async countWaiting(): Promise<number> {
    const [row] = await this.storage.readLong(
      COUNT.query`select count(*) as count from alert_delivery where due_at is not null`,
    );
    return row!.count;
  }

  async prune(before: number): Promise<void> {
    await this.storage.write((tx) => tx.run(sql`delete from alert_delivery where created_at < ${before}`));
  }
}

export const messageOf = ({ message }: AlertDeliveryRow): ChannelMessage => fromJsonText(message) as ChannelMessage;

/** Has a channel be sent a message. @param about the alert, or the comment, whose messages it is sent in their order. */
export function createDelivery(
  tx: WriteTx,
  { projectId, id: channelId }: AlertChannelRow,
  about: string,
  message: ChannelMessage,
  now: number,
): void {
  tx.em.create(AlertDeliveryEntity, {
    ...{ projectId, id: message.id, channelId, alertId: about, message: JSON.stringify(message) },
    ...{ status: 'pending', attempts: 0, statusCode: null, lastError: null },
    ...{ dueAt: now, deliveredAt: null, createdAt: now },
  });
}

/** A delivery as the wire shows it. */
export function alertDelivery(row: AlertDeliveryRow): AlertDelivery {
  const message = messageOf(row);
  const isMention = message.type === 'comment.mention';
  return fromColumns(alertDeliverySchema, row, {
    ...{ alert_id: isMention ? null : row.alertId, comment_id: isMention ? row.alertId : null },
    key: isMention ? null : message.key,
    event: isMention ? 'mention' : message.type === 'alert.firing' ? 'firing' : 'resolved',
    status: row.status as AlertDeliveryStatus,
    next_try_at: row.dueAt === null ? null : formatTimestamp(row.dueAt),
  });
}
