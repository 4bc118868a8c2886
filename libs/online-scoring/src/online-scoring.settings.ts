import { defineSettings, setting, settingValue } from '@spandrel/kernel/launch';
import { z } from 'zod';

/** What users set about scoring rules. */
export class ScoringSettings extends defineSettings({
  callsMax: setting('scoring.calls_max', z.number().int().min(1).max(1_000), {
    default: 8,
    doc: 'Judgements of scoring rules at once, each one call at a time. Connections share them evenly.',
  }),
  callTimeoutMs: setting('scoring.call_timeout', settingValue.seconds(1, 600), {
    default: 45,
    doc: 'Seconds after which a call of a scoring rule is given up.',
  }),
}) {}
