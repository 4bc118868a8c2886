import { defineSettings, setting } from '@spandrel/kernel/launch';
import { z } from 'zod';

/** What users set about tries. */
export class TrySettings extends defineSettings({
  callsMax: setting('try.calls_max', z.number().int().min(1).max(1_000), {
    default: 4,
    doc: 'Tries of one project that a server makes at once; more are refused with 429.',
  }),
  maxCost: setting('try.max_cost_usd', z.number().positive().nullable(), {
    default: 1,
    doc: 'Dollars that one call of a try may cost, estimated before it is made; null: any. Models without a price are not held back.',
  }),
}) {}
