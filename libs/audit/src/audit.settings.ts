import { defineSettings, setting } from '@spandrel/kernel/launch';
import { z } from 'zod';

/** What users set of the audit log; `null`: not set. */
export class AuditSettings extends defineSettings({
  log: setting('audit.log', z.string().min(1).nullable(), {
    default: null,
    doc: 'Cloud mode: writes each entry of the audit log as a line of JSON, for a SIEM: `stdout`, or the path of a file.',
    source: { variable: 'SPANDREL_AUDIT_LOG' },
  }),
}) {}
