import { z } from 'zod';
import { amountSchema } from './values/numbers.js';

/** Answer of `GET /api/health` (docs/spec/health.md#health). */
export const healthSchema = z
  .object({
    status: z.literal('ok'),
    instance_id: z.string().describe('Names the process; new at every start.'),
    uptime: amountSchema.describe('Seconds.'),
    version: z.string(),
    mode: z.enum(['local', 'cloud']),
  })
  .meta({ id: 'Health' });

/** Answer of `/livez` and `/readyz`. */
export const probeSchema = z.object({ status: z.literal('ok') }).meta({ id: 'Probe' });
