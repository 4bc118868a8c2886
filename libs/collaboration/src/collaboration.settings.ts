import { defineSettings, setting } from '@spandrel/kernel/launch';
import { z } from 'zod';

/** What users set about links that open a trace. */
export class SharingSettings extends defineSettings({
  /** Whether traces can be shared; links that there are open nothing where not. */
  isEnabled: setting('sharing.enabled', z.boolean(), {
    default: true,
    doc: 'Cloud mode: whether a trace can be shared by a link that opens it without signing in.',
  }),
}) {}
