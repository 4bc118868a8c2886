import { defineSettings, setting, settingValue } from '@spandrel/kernel/launch';
import { z } from 'zod';

/** How long events are kept, and how slow a client of the stream may be. */
export class EventsSettings extends defineSettings({
  retentionMs: setting(
    'events.retention_hours',
    z
      .number()
      .min(0.001)
      .max(87_600)
      .transform((hours) => hours * 3_600_000),
    { default: 24, doc: 'Hours that the log keeps events, for clients that come back.' },
  ),
  queuedBytes: setting('events.queued_bytes', settingValue.bytes, {
    default: 1_048_576,
    doc: 'Bytes that may wait for one client of the stream; beyond it gets events from the log, at its own pace.',
  }),
  stalledMs: setting('events.stalled_seconds', settingValue.seconds(1, 3_600), {
    default: 10,
    doc: 'A client that takes nothing for so many seconds is disconnected; it can resume.',
  }),
  behindMs: setting('events.behind_seconds', settingValue.seconds(1, 86_400), {
    default: 60,
    doc: 'A client that fell behind and has not caught up for so many seconds is disconnected too.',
  }),
}) {}
