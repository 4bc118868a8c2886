import { defineSettings, setting } from '@spandrel/kernel/launch';
import { z } from 'zod';

/** What users set about the review queue. */
export class QueueSettings extends defineSettings({
  /** Seconds after which a claim is released; `null`: never. */
  claimTimeoutSeconds: setting('queue.claim_timeout', z.number().int().min(1).nullable(), {
    default: null,
    doc: 'Seconds after which a claim that was not submitted is released; null: never.',
  }),
}) {}
