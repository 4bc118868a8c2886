import { Inject, Injectable } from '@nestjs/common';
import { AccessSettings } from '@spandrel/access';
import { formatTimestamp } from '@spandrel/contract';
import { newId, type Scope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import { AlertChannel } from './alert.entity.js';
import { createDelivery } from './alert-delivery.store.js';
import type { MentionMessage } from './alert-message.js';
import { DeliverAlerts } from './deliver-alerts.js';

const TEXT_SHOWN = 200;

/** Sends the channels of a project whom a comment names (docs/spec/alerts.md#mentions). */
@Injectable()
export class NotifyMention {
  constructor(
    private readonly deliveries: DeliverAlerts,
    @Inject(AccessSettings) private readonly settings: AccessSettings,
  ) {}

  /** Writes what is sent in the transaction of the comment. @param comment its `url` is a path of the dashboard here. */
  async write(tx: WriteTx, { projectId }: Scope, comment: MentionMessage['comment']): Promise<void> {
    const now = Date.now();
    const text = [...comment.text].slice(0, TEXT_SHOWN).join('');
    const origin = this.settings.dashboardOrigin;
    const shown = { ...comment, text, url: `${origin === null ? '' : `${origin}/p/${projectId}`}${comment.url}` };
    const head = { type: 'comment.mention', created_at: formatTimestamp(now), project_id: projectId } as const;
    for (const channel of await tx.em.find(AlertChannel, { projectId }))
      createDelivery(tx, channel, comment.id, { id: newId(), ...head, comment: shown }, now);
  }

  /** Sends what was written, once it is committed. */
  hurry(): void {
    this.deliveries.hurry();
  }
}
