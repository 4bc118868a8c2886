import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import {
  BackgroundTasks,
  METRICS,
  NotFound,
  projectScope,
  registerSourceGauges,
  type PeriodicTask,
} from '@spandrel/kernel';
import type { AlertDeliveryRow } from './alert.entity.js';
import { AlertChannelStore } from './alert-channel.store.js';
import { AlertDeliveryStore, messageOf } from './alert-delivery.store.js';
import { SendMessage } from './send-message.js';

/** How often deliveries are looked for that are to be tried again, or that another instance left behind. */
const EVERY_MS = 1_000;
/** Deliveries under way at most, and those that are taken together, of projects that have none under way: one whose receivers are slow holds up itself alone. */
const AT_ONCE = 100;
const TAKEN = 5;
/** How long a delivery is held: longer than an attempt takes. */
const HELD_MS = 60_000;
const FIRST_PAUSE_MS = 1_000;
const PAUSE_FACTOR = 4;
const PAUSE_MS_MAX = 15 * 60_000;
const TRIED_MS_MAX = 86_400_000;

/** When a delivery is tried again after so many attempts: after 1, 4, 16, 64 s and on, at most a quarter of an hour. */
export const pauseAfter = (attempts: number): number =>
  Math.min(FIRST_PAUSE_MS * PAUSE_FACTOR ** (attempts - 1), PAUSE_MS_MAX);

/** Sends what alerts have to say, in the background; any number of instances do it together. */
@Injectable()
export class DeliverAlerts {
  private readonly task: PeriodicTask;
  private readonly attempts: Counter<'outcome'>;

  constructor(
    private readonly deliveries: AlertDeliveryStore,
    private readonly channels: AlertChannelStore,
    private readonly messages: SendMessage,
    @Inject(METRICS) registry: Registry,
    tasks: BackgroundTasks,
  ) {
    this.attempts = new Counter({
      name: 'spandrel_alert_attempts_total',
      help: 'Attempts to send an alert to a channel, by outcome: delivered, retried, failed (for a day).',
      labelNames: ['outcome'] as const,
      registers: [registry],
    });
    for (const outcome of ['delivered', 'retried', 'failed'] as const) this.attempts.inc({ outcome }, 0);
    registerSourceGauges(registry, () => deliveries.countWaiting(), [
      {
        name: 'spandrel_alert_deliveries_waiting',
        help: 'Alerts that their channels have not been sent yet, on all instances.',
        samples: (value) => [{ value }],
      },
    ]);
    this.task = tasks.add({
      everyMs: EVERY_MS,
      task: (stopped) => this.deliverDue(Date.now, stopped),
      failure: 'alerts could not be sent; they will be at the next time',
    });
  }

  hurry(): void {
    this.task.hurry();
  }

  /** Tries all deliveries that are due, some at once. @param now milliseconds since the epoch. */
  async deliverDue(now: () => number = Date.now, stopped = new AbortController().signal): Promise<void> {
    const underWay = new Map<Promise<void>, string>();
    const failures: unknown[] = [];
    while (!stopped.aborted && failures.length === 0) {
      const busy = new Set(underWay.values());
      const claimed =
        underWay.size < AT_ONCE ? await this.deliveries.claim(now(), now() + HELD_MS, TAKEN, [...busy]) : [];
      for (const delivery of claimed) {
        const delivering = this.deliver(delivery, now)
          .catch((error: unknown) => void failures.push(error))
          .finally(() => underWay.delete(delivering));
        underWay.set(delivering, delivery.projectId);
      }
      if (underWay.size === 0) break;
      if (claimed.length === 0) await Promise.race([...underWay.keys(), sleep(EVERY_MS, undefined, { ref: false })]);
    }
    await Promise.all(underWay.keys());
    for (const error of failures) throw error;
  }

  private async deliver(delivery: AlertDeliveryRow, now: () => number): Promise<void> {
    const channel = await this.channels.get(projectScope(delivery.projectId), delivery.channelId).catch(ifGone);
    if (!channel) return;
    const { status: statusCode, error } = await this.messages.send(channel, messageOf(delivery), now());
    const isOver = error === null || now() - delivery.createdAt >= TRIED_MS_MAX;
    this.attempts.inc({ outcome: error === null ? 'delivered' : isOver ? 'failed' : 'retried' });
    await this.deliveries.save(delivery, {
      ...{ statusCode, lastError: error, status: error === null ? 'delivered' : isOver ? 'failed' : 'pending' },
      dueAt: isOver ? null : now() + pauseAfter(delivery.attempts),
      deliveredAt: error === null ? now() : null,
    });
  }
}

function ifGone(error: unknown): undefined {
  if (!(error instanceof NotFound)) throw error;
}
