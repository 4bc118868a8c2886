import { defineSettings, setting, settingValue } from '@spandrel/kernel/launch';
import { z } from 'zod';

export class OtlpSettings extends defineSettings({
  bodyBytes: setting('limits.otlp_bytes', settingValue.bytes, {
    default: 67_108_864,
    doc: 'Largest body of an OTLP export, in bytes: as it comes, and unpacked.',
  }),
  itemsMax: setting('otlp.items_max', z.number().int().min(1), {
    default: 2_000_000,
    doc: 'Most spans, attributes, events, links and elements of lists together that one export may hold.',
  }),
  /** Scopes whose spans are left out; a `*` at the end stands for all that begin so. */
  dropScopes: setting('otlp.drop_scopes', z.array(z.string().min(1)), {
    default: [],
    doc: 'Instrumentation scopes whose spans are not kept; * at the end: all that begin so. Their children go to the top of the trace.',
  }),
  pendingHours: setting(
    'otlp.pending_hours',
    z
      .number()
      .positive()
      .max(24 * 30),
    {
      default: 1,
      doc: 'Hours for which log events wait for their span.',
    },
  ),
  decodeBytes: setting('otlp.decode_bytes', settingValue.bytes, {
    default: 268_435_456,
    doc: 'Bytes of all exports being read at once; beyond that they are asked to come again (503).',
  }),
}) {}
