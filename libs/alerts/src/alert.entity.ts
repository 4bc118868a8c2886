import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, tableOf, type RowOf } from '@spandrel/storage';

/** What is watched, and what the last evaluation found. Times are milliseconds since the epoch. */
export const AlertSchema = defineEntity({
  name: 'Alert',
  tableName: 'alert',
  properties: {
    projectId: p.text().primary(),
    id: p.text().primary(),
    name: p.text(),
    enabled: p.smallint(),
    /** JSON of an `AlertRule`. */
    rule: p.text(),
    state: p.text(),
    stateSince: p.bigint('number'),
    lastValue: p.double().$type<number>().nullable(),
    /** JSON array of `GroupState`: what fires, is about to, or did a short while ago. */
    groups: p.text(),
    /** JSON of the last `AlertEvaluation`. */
    explain: p.text().nullable(),
    /** When it is evaluated next; the instance that evaluates it has put it off. `null`: it is off. */
    dueAt: p.bigint('number').nullable(),
    createdAt: p.bigint('number'),
    updatedAt: p.bigint('number'),
  },
  indexes: [{ name: 'alert_due', properties: ['dueAt'], where: 'due_at is not null' }],
});

export type AlertRow = RowOf<typeof AlertSchema>;
export const Alert = entityOf(AlertSchema);
export const alertTable = tableOf(AlertSchema, ['projectId', 'id']);

/** Which alerts a project was given, so that one that was deleted stays away. */
export const DefaultAlertSchema = defineEntity({
  name: 'DefaultAlert',
  tableName: 'default_alert',
  properties: { projectId: p.text().primary(), measure: p.text().primary() },
});

/** A change of state of an alert, or of one of its groups. */
export const AlertChangeSchema = defineEntity({
  name: 'AlertChange',
  tableName: 'alert_change',
  properties: {
    projectId: p.text().primary(),
    id: p.text().primary(),
    alertId: p.text(),
    at: p.bigint('number'),
    key: p.text().nullable(),
    fromState: p.text(),
    toState: p.text(),
    value: p.double().$type<number>().nullable(),
  },
  indexes: [
    { name: 'alert_change_alert', properties: ['projectId', 'alertId', 'id'] },
    { name: 'alert_change_at', properties: ['at'] },
  ],
});

export type AlertChangeRow = RowOf<typeof AlertChangeSchema>;
export const AlertChangeEntity = entityOf(AlertChangeSchema);
export const alertChangeTable = tableOf(AlertChangeSchema, ['projectId', 'id']);

/** Where alerts are sent to; its address and its secret are sealed texts of `connections`. */
export const AlertChannelSchema = defineEntity({
  name: 'AlertChannel',
  tableName: 'alert_channel',
  properties: {
    projectId: p.text().primary(),
    id: p.text().primary(),
    name: p.text(),
    kind: p.text(),
    host: p.text().nullable(),
    recipients: p.text(),
    signed: p.smallint(),
    createdAt: p.bigint('number'),
    updatedAt: p.bigint('number'),
  },
});

export type AlertChannelRow = RowOf<typeof AlertChannelSchema>;
export const AlertChannel = entityOf(AlertChannelSchema);
export const alertChannelTable = tableOf(AlertChannelSchema, ['projectId', 'id']);

/** What one channel is sent of one change: written with the change. */
export const AlertDeliverySchema = defineEntity({
  name: 'AlertDelivery',
  tableName: 'alert_delivery',
  properties: {
    projectId: p.text().primary(),
    id: p.text().primary(),
    channelId: p.text(),
    /** The alert, or the comment, that it is about. */
    alertId: p.text(),
    /** JSON of a `ChannelMessage`: what is sent, the same in every attempt. */
    message: p.text(),
    status: p.text(),
    attempts: p.integer(),
    statusCode: p.integer().nullable(),
    lastError: p.text().nullable(),
    /** When it is tried next; the instance that tries it has put it off. `null` once it is over. */
    dueAt: p.bigint('number').nullable(),
    deliveredAt: p.bigint('number').nullable(),
    createdAt: p.bigint('number'),
  },
  indexes: [
    { name: 'alert_delivery_due', properties: ['dueAt'], where: 'due_at is not null' },
    { name: 'alert_delivery_channel', properties: ['projectId', 'channelId', 'id'] },
    { name: 'alert_delivery_created', properties: ['createdAt'] },
  ],
});

export type AlertDeliveryRow = RowOf<typeof AlertDeliverySchema>;
export const AlertDeliveryEntity = entityOf(AlertDeliverySchema);
export const alertDeliveryTable = tableOf(AlertDeliverySchema, ['projectId', 'id']);
