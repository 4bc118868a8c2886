import { defineSettings, setting, settingValue } from '@spandrel/kernel/launch';
import { z } from 'zod';

/** What users set about exports of OpenTelemetry. */
export class OtlpSettings extends defineSettings({
  bodyBytes: setting('limits.otlp_bytes', settingValue.bytes, {
    default: 67_108_864,
    doc: 'Largest body of an OTLP export, in bytes: as it comes, and unpacked.',
  }),
  itemsMax: setting('otlp.items_max', z.number().int().min(1), {
    default: 2_000_000,
    doc: 'Most spans, attributes, events, links and elements of lists together that one export may hold.',
  }),
  decodeBytes: setting('otlp.decode_bytes', settingValue.bytes, {
    default: 268_435_456,
    doc: 'Bytes of all exports being read at once; beyond that they are asked to come again (503).',
  }),
}) {}
