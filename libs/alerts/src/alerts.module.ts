import { Module, type OnModuleInit } from '@nestjs/common';
import { AnalyticsModule } from '@spandrel/analytics';
import { ConnectionsModule } from '@spandrel/connections';
import { Capabilities } from '@spandrel/http';
import { ScoresModule, ScoringRulesPort } from '@spandrel/scores';
import { AlertStore } from './alert.store.js';
import { AlertChannelStore } from './alert-channel.store.js';
import { AlertDeliveryStore } from './alert-delivery.store.js';
import { AlertChannelsController, AlertsController } from './alerts.controller.js';
import { AlertsSettings } from './alerts.settings.js';
import { DeliverAlerts } from './deliver-alerts.js';
import { EvaluateAlerts } from './evaluate-alerts.js';
import { NotifyMention } from './notify-mention.js';
import { ReadMeasure } from './read-measure.js';
import { SendMessage } from './send-message.js';
import { defineFeature, ofProjects } from '@spandrel/kernel';
import {
  AlertChangeSchema,
  AlertChannelSchema,
  AlertDeliverySchema,
  AlertSchema,
  DefaultAlertSchema,
} from './alert.entity.js';

@Module({
  imports: [AnalyticsModule, ScoresModule, ConnectionsModule],
  controllers: [AlertsController, AlertChannelsController],
  providers: [
    ...[AlertStore, AlertChannelStore, AlertDeliveryStore],
    ...[ReadMeasure, EvaluateAlerts, DeliverAlerts, SendMessage, NotifyMention],
  ],
  exports: [AlertStore, AlertChannelStore, EvaluateAlerts, DeliverAlerts, NotifyMention],
})
export class AlertsModule implements OnModuleInit {
  constructor(
    private readonly scoringRules: ScoringRulesPort,
    private readonly alerts: AlertStore,
    private readonly capabilities: Capabilities,
    private readonly settings: AlertsSettings,
  ) {}

  onModuleInit(): void {
    this.capabilities.provide('alert_email', () => this.settings.smtp !== null);
    this.scoringRules.onRule = (tx, scope, isRestored) => this.alerts.watchRules(tx, scope, isRestored);
  }
}

export const alertsFeature = defineFeature({
  name: 'alerts',
  tag: { name: 'Alerts', description: 'What is watched, and whom it is sent to.' },
  module: AlertsModule,
  entities: [AlertSchema, AlertChangeSchema, AlertChannelSchema, AlertDeliverySchema, DefaultAlertSchema],
  owned: ofProjects('alert', 'alert_change', 'alert_channel', 'alert_delivery', 'default_alert'),
  settings: [AlertsSettings],
  requires: ['analytics', 'scores', 'connections'],
});
