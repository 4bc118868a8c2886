import { defineFeature, ofProjects } from '@spandrel/kernel';
import {
  AlertChangeSchema,
  AlertChannelSchema,
  AlertDeliverySchema,
  AlertSchema,
  DefaultAlertSchema,
} from './alert.entity.js';
import { AlertsModule } from './alerts.module.js';
import { AlertsSettings } from './alerts.settings.js';

export const alertsFeature = defineFeature({
  name: 'alerts',
  tag: { name: 'Alerts', description: 'What is watched, and whom it is sent to.' },
  module: AlertsModule,
  entities: [AlertSchema, AlertChangeSchema, AlertChannelSchema, AlertDeliverySchema, DefaultAlertSchema],
  owned: ofProjects('alert', 'alert_change', 'alert_channel', 'alert_delivery', 'default_alert'),
  settings: [AlertsSettings],
  requires: ['analytics', 'scores', 'connections'],
});
