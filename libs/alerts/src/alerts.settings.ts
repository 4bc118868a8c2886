import { defineSettings, setting } from '@spandrel/kernel/launch';
import { z } from 'zod';

const SMTP = /^smtps?:$/;

/** What users set of alerts. */
export class AlertsSettings extends defineSettings({
  /** `null`: no email is sent. */
  smtp: setting(
    'alerts.smtp',
    z
      .string()
      .refine((text) => SMTP.test(URL.parse(text)?.protocol ?? ''), 'must be an smtp:// or smtps:// URL')
      .nullable(),
    {
      default: null,
      doc: 'The server by which alerts are sent as email: smtp://USER:PASSWORD@HOST:587, or smtps://… for TLS from the start; better given by SPANDREL_ALERTS_SMTP.',
      source: { variable: 'SPANDREL_ALERTS_SMTP', secret: true },
    },
  ),
  smtpFrom: setting('alerts.smtp_from', z.string().min(1), {
    default: 'Spandrel <spandrel@localhost>',
    doc: 'Whom the email of alerts is from.',
  }),
}) {}
