import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import { METRICS } from '@spandrel/kernel';
import type { WireEvent } from './domain-events.js';

/** Why the server ended a stream that its client wanted to go on. */
const CUT_REASONS = ['stalled', 'behind', 'failed'] as const;
export type CutReason = (typeof CUT_REASONS)[number];

@Injectable()
export class EventMetrics {
  readonly streams: Gauge;
  readonly delivered: Counter;
  readonly cut: Counter<'reason'>;
  private readonly publishedTotal: Counter<'type'>;

  constructor(@Inject(METRICS) registry: Registry) {
    const registers = [registry];
    this.streams = new Gauge({ name: 'spandrel_event_streams', help: 'Open event streams.', registers });
    this.delivered = new Counter({
      name: 'spandrel_events_delivered_total',
      help: 'Events handed to the connection of a client, each client counted.',
      registers,
    });
    this.cut = new Counter({
      name: 'spandrel_event_streams_cut_total',
      help: 'Event streams ended because the client took nothing (stalled), fell behind for too long, or the log could not be read or events could not be delivered (failed).',
      labelNames: ['reason'],
      registers,
    });
    for (const reason of CUT_REASONS) this.cut.inc({ reason }, 0);
    this.publishedTotal = new Counter({
      name: 'spandrel_events_published_total',
      help: 'Events of committed changes made by this process.',
      labelNames: ['type'],
      registers,
    });
  }

  published(events: readonly WireEvent[]): void {
    const counts = new Map<WireEvent['type'], number>();
    for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1);
    for (const [type, count] of counts) this.publishedTotal.inc({ type }, count);
  }
}
