import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { AuditTrail, changesBetween } from '@spandrel/audit';
import { AddressRule, SealedTexts } from '@spandrel/connections';
import {
  ALERT_CHANNELS_MAX,
  channelFaults,
  dottedPath,
  formatTimestamp,
  type AlertChannelKind,
  type AlertChannelResource,
  type CreateAlertChannel,
  type ExportedAlertChannel,
  type RejectedItem,
  type RestoredAlertChannel,
  type UpdateAlertChannel,
} from '@spandrel/contract';
import { invalidRequest, newId, NotFound, type Scope } from '@spandrel/kernel';
import { fromJsonText, ProjectRows, Storage, type WriteTx } from '@spandrel/storage';
import { Alert, AlertChannel, alertChannelTable, AlertDeliveryEntity, type AlertChannelRow } from './alert.entity.js';
import { ruleOf } from './alert.store.js';
import { AlertsSettings } from './alerts.settings.js';

const LOCKED = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;

export const alertChannelNotFound = (): NotFound =>
  new NotFound('alert_channel_not_found', 'there is no alert channel with this id; GET /api/alert-channels lists them');

export interface ChannelSecrets {
  url?: string;
  secret?: string;
}

/** Where alerts are sent to (docs/spec/alerts.md#channels). */
@Injectable()
export class AlertChannelStore extends ProjectRows<AlertChannelRow> {
  constructor(
    storage: Storage,
    private readonly secrets: SealedTexts,
    private readonly addresses: AddressRule,
    private readonly settings: AlertsSettings,
    private readonly audit: AuditTrail,
  ) {
    const entity = AlertChannel;
    super(storage, { entity, table: alertChannelTable, list: 'alert_channels', notFound: alertChannelNotFound });
  }

  /** Address and secret of a channel; nothing of one that came by an import, or that the keys of this server do not open. */
  async secretsOf(scope: Scope, id: string): Promise<ChannelSecrets> {
    const text = await this.secrets.find(scope, id);
    return text === undefined ? {} : (JSON.parse(text) as ChannelSecrets);
  }

  /** @throws Invalid for an address that it may not have, and for more channels than a project may have. */
  create(scope: Scope, body: CreateAlertChannel): Promise<AlertChannelRow> {
    const { name, kind } = body;
    this.assertSends(kind, body);
    const now = Date.now();
    const made = { projectId: scope.projectId, id: newId(), name, kind, createdAt: now, updatedAt: now };
    return this.storage.write(async (tx) => {
      await this.assertRoom(tx, scope, ALERT_CHANNELS_MAX, 'alert channels');
      const row = { ...made, ...destinationOf(body) };
      await tx.em.insert(AlertChannel, row);
      await this.seal(tx, scope, row.id, body);
      this.audit.record(tx, { action: 'alert_channel.created', ...audited(scope, row), details: shown(row) });
      return row;
    });
  }

  /** Changes the members given. @throws NotFound `alert_channel_not_found`, Invalid. */
  async update(scope: Scope, id: string, body: UpdateAlertChannel): Promise<AlertChannelRow> {
    const sealed = await this.secretsOf(scope, id);
    return this.storage.write(async (tx) => {
      const row = await this.getForWrite(tx, scope, id);
      const kind = row.kind as AlertChannelKind;
      const [fault] = channelFaults({ kind, ...body }, body.url === null);
      if (fault) throw invalidRequest([{ ...fault, path: dottedPath(fault.path) }]);
      this.assertSends(kind, body);
      const before = shown(row);
      const secrets = {
        url: body.url ?? sealed.url,
        secret: body.secret === undefined ? sealed.secret : (body.secret ?? undefined),
      };
      const isNew = body.url !== undefined || body.secret !== undefined;
      if (isNew) await this.seal(tx, scope, id, secrets);
      const { recipients, ...led } = destinationOf({ ...secrets, to: body.to });
      Object.assign(row, isNew && led, body.to && { recipients }, {
        name: body.name ?? row.name,
        updatedAt: Date.now(),
      });
      const details = { ...changesBetween(before, shown(row)), ...(isNew && { secrets: 'changed' }) };
      this.audit.record(tx, { action: 'alert_channel.updated', ...audited(scope, row), details });
      return row;
    });
  }

  /** Deletes a channel, and takes it from the alerts that have it. @throws NotFound `alert_channel_not_found`. */
  async delete(scope: Scope, id: string): Promise<void> {
    await this.storage.write(async (tx) => {
      const { projectId } = scope;
      const channel = await this.getForWrite(tx, scope, id);
      tx.em.remove(channel);
      await this.secrets.delete(tx, scope, id);
      await tx.em.nativeDelete(AlertDeliveryEntity, { projectId, channelId: id });
      for (const alert of await tx.em.find(Alert, { projectId }, { ...LOCKED, orderBy: { id: 'asc' } })) {
        const rule = ruleOf(alert);
        if (!rule.channel_ids.includes(id)) continue;
        alert.rule = JSON.stringify({ ...rule, channel_ids: rule.channel_ids.filter((other) => other !== id) });
      }
      this.audit.record(tx, { action: 'alert_channel.deleted', ...audited(scope, channel), details: shown(channel) });
    });
  }

  /** Upserts channels of an export in one transaction; those that are here keep where they send to. @returns those of which there are too many. */
  restore(scope: Scope, items: readonly RestoredAlertChannel[]): Promise<RejectedItem<RestoredAlertChannel>[]> {
    return this.storage.write(async (tx) => {
      const { projectId } = scope;
      const here = new Map((await tx.em.find(AlertChannel, { projectId })).map((row) => [row.id, row]));
      const rejected: RejectedItem<RestoredAlertChannel>[] = [];
      for (const item of items) {
        const { id, name, kind, created_at: createdAt, updated_at: updatedAt } = item;
        const { recipients, ...nowhere } = destinationOf({ to: item.to });
        const known = here.get(id);
        if (known && known.kind === kind) Object.assign(known, { name, recipients, createdAt, updatedAt });
        else if (known) rejected.push({ item, code: 'id_conflict', message: `is of the kind ${known.kind} here` });
        else if (here.size >= ALERT_CHANNELS_MAX) rejected.push({ item, code: 'validation_failed', message: NO_ROOM });
        else
          here.set(
            id,
            tx.em.create(AlertChannel, { projectId, id, name, kind, recipients, ...nowhere, createdAt, updatedAt }),
          );
      }
      return rejected;
    });
  }

  /** @throws Invalid where a channel could not send, or not there. */
  private assertSends(kind: AlertChannelKind, { url }: Pick<CreateAlertChannel, 'url'>): void {
    const fault = url ? this.addresses.faultOf(url, null) : undefined;
    if (fault !== undefined) throw invalidRequest([{ path: 'url', message: fault }]);
    if (kind !== 'email' || this.settings.smtp !== null) return;
    throw invalidRequest([{ path: 'kind', message: 'must be another one: this server sends no email (alerts.smtp)' }]);
  }

  private async seal(
    tx: WriteTx,
    scope: Scope,
    id: string,
    { url, secret }: Partial<CreateAlertChannel>,
  ): Promise<void> {
    if (url) await this.secrets.put(tx, scope, id, JSON.stringify({ url, secret: secret ?? undefined }));
  }
}

const NO_ROOM = `a project has at most ${ALERT_CHANNELS_MAX} alert channels`;

const destinationOf = ({ url, secret, to }: Partial<Pick<CreateAlertChannel, 'url' | 'secret' | 'to'>>) => ({
  ...{ host: url ? new URL(url).origin : null, signed: url && secret ? 1 : 0, recipients: JSON.stringify(to ?? []) },
});

const audited = (scope: Scope, { id, name }: AlertChannelRow) => ({ ...scope, targetId: id, targetName: name });

export const recipientsOf = ({ recipients }: AlertChannelRow): string[] => fromJsonText(recipients) as string[];

const shown = (row: AlertChannelRow) => ({ name: row.name, kind: row.kind, host: row.host, to: recipientsOf(row) });

/** A channel as an export has it: nothing of where it sends to. */
export const exportedAlertChannel = (row: AlertChannelRow): ExportedAlertChannel => ({
  ...{ id: row.id, name: row.name, kind: row.kind as AlertChannelKind, to: recipientsOf(row) },
  created_at: formatTimestamp(row.createdAt),
  updated_at: formatTimestamp(row.updatedAt),
});

/** A stored channel as the wire shows it. */
export const alertChannelResource = (row: AlertChannelRow): AlertChannelResource => ({
  ...exportedAlertChannel(row),
  ...{ host: row.host, signed: row.signed === 1 },
});
