import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import {
  alertChannelListSchema,
  alertChannelSchema,
  alertChannelTestSchema,
  alertDeliveryListSchema,
  alertEvaluationSchema,
  alertHistorySchema,
  alertListSchema,
  alertSchema,
  alertSeriesSchema,
  createAlertChannelSchema,
  createAlertSchema,
  deletedSchema,
  formatTimestamp,
  listAlertDeliveriesSchema,
  plainListSchema,
  updateAlertChannelSchema,
  updateAlertSchema,
  type CreateAlert,
  type CreateAlertChannel,
  type ListAlertDeliveries,
  type PlainList,
  type UpdateAlert,
  type UpdateAlertChannel,
} from '@spandrel/contract';
import { CurrentScope, Operation, PathId, deleted, listOf } from '@spandrel/http';
import { newId, type Scope } from '@spandrel/kernel';
import { alertChange, alertNotFound, alertResource, AlertStore } from './alert.store.js';
import { alertChannelNotFound, alertChannelResource, AlertChannelStore } from './alert-channel.store.js';
import { alertDelivery, AlertDeliveryStore } from './alert-delivery.store.js';
import { EvaluateAlerts } from './evaluate-alerts.js';
import { SendMessage } from './send-message.js';

const AlertId = () => Param('id', new PathId(alertNotFound));
const ChannelId = () => Param('id', new PathId(alertChannelNotFound));

/** `/api/alerts` (docs/spec/alerts.md#alert-routes). */
@Controller('api/alerts')
export class AlertsController {
  constructor(
    private readonly alerts: AlertStore,
    private readonly evaluations: EvaluateAlerts,
  ) {}

  @Post()
  @Operation({ access: 'write', summary: 'Make an alert', audited: ['alert.created'], answer: alertSchema })
  async createAlert(@CurrentScope() scope: Scope, @Body({ schema: createAlertSchema }) body: CreateAlert) {
    const alert = await this.alerts.create(scope, body);
    this.evaluations.hurry();
    return alertResource(alert);
  }

  @Get()
  @Operation({ access: 'read', summary: 'Alerts, oldest first', answer: alertListSchema })
  async listAlerts(@CurrentScope() scope: Scope, @Query({ schema: plainListSchema }) query: PlainList) {
    return listOf('alerts', await this.alerts.list(scope, query), alertResource);
  }

  @Get(':id')
  @Operation({ access: 'read', summary: 'An alert', answer: alertSchema })
  async getAlert(@CurrentScope() scope: Scope, @AlertId() id: string) {
    return alertResource(await this.alerts.get(scope, id));
  }

  @Put(':id')
  @Operation({ access: 'write', summary: 'Change an alert', audited: ['alert.updated'], answer: alertSchema })
  async updateAlert(
    @CurrentScope() scope: Scope,
    @AlertId() id: string,
    @Body({ schema: updateAlertSchema }) body: UpdateAlert,
  ) {
    const alert = await this.alerts.update(scope, id, body);
    this.evaluations.hurry();
    return alertResource(alert);
  }

  @Delete(':id')
  @Operation({
    access: 'write',
    summary: 'Delete an alert with its history',
    audited: ['alert.deleted'],
    answer: deletedSchema,
  })
  async deleteAlert(@CurrentScope() scope: Scope, @AlertId() id: string) {
    await this.alerts.delete(scope, id);
    return deleted(id);
  }

  @Get(':id/history')
  @Operation({
    access: 'read',
    summary: 'Changes of state of the last 30 days, newest first',
    answer: alertHistorySchema,
  })
  async listAlertHistory(
    @CurrentScope() scope: Scope,
    @AlertId() id: string,
    @Query({ schema: plainListSchema }) query: PlainList,
  ) {
    return listOf('changes', await this.alerts.history(scope, id, query), alertChange);
  }

  @Get(':id/series')
  @Operation({
    access: 'read',
    summary: 'What evaluations find at moments up to now',
    description: 'Of what is recorded by now, each of the window before its moment.',
    answer: alertSeriesSchema,
    problems: ['range_too_large'],
    limit: 5,
  })
  getAlertSeries(@CurrentScope() scope: Scope, @AlertId() id: string) {
    return this.evaluations.series(scope, id);
  }

  @Post(':id/test')
  @HttpCode(200)
  @Operation({
    access: 'read',
    summary: 'What an evaluation finds now',
    description: 'Nothing is kept, and nothing is sent.',
    answer: alertEvaluationSchema,
    problems: ['range_too_large'],
  })
  testAlert(@CurrentScope() scope: Scope, @AlertId() id: string) {
    return this.evaluations.explain(scope, id);
  }
}

/** `/api/alert-channels` (docs/spec/alerts.md#channels). No answer holds an address or a secret. */
@Controller('api/alert-channels')
export class AlertChannelsController {
  constructor(
    private readonly channels: AlertChannelStore,
    private readonly deliveries: AlertDeliveryStore,
    private readonly messages: SendMessage,
  ) {}

  @Post()
  @Operation({
    access: 'write',
    summary: 'Store where alerts are sent to',
    audited: ['alert_channel.created'],
    answer: alertChannelSchema,
  })
  async createAlertChannel(
    @CurrentScope() scope: Scope,
    @Body({ schema: createAlertChannelSchema }) body: CreateAlertChannel,
  ) {
    return alertChannelResource(await this.channels.create(scope, body));
  }

  @Get()
  @Operation({ access: 'read', summary: 'Channels of alerts, oldest first', answer: alertChannelListSchema })
  async listAlertChannels(@CurrentScope() scope: Scope, @Query({ schema: plainListSchema }) query: PlainList) {
    return listOf('channels', await this.channels.list(scope, query), alertChannelResource);
  }

  @Get(':id')
  @Operation({ access: 'read', summary: 'A channel of alerts', answer: alertChannelSchema })
  async getAlertChannel(@CurrentScope() scope: Scope, @ChannelId() id: string) {
    return alertChannelResource(await this.channels.get(scope, id));
  }

  @Put(':id')
  @Operation({
    access: 'write',
    summary: 'Change a channel of alerts',
    audited: ['alert_channel.updated'],
    answer: alertChannelSchema,
  })
  async updateAlertChannel(
    @CurrentScope() scope: Scope,
    @ChannelId() id: string,
    @Body({ schema: updateAlertChannelSchema }) body: UpdateAlertChannel,
  ) {
    return alertChannelResource(await this.channels.update(scope, id, body));
  }

  @Delete(':id')
  @Operation({
    access: 'write',
    summary: 'Delete a channel of alerts with its deliveries',
    audited: ['alert_channel.deleted'],
    answer: deletedSchema,
  })
  async deleteAlertChannel(@CurrentScope() scope: Scope, @ChannelId() id: string) {
    await this.channels.delete(scope, id);
    return deleted(id);
  }

  @Get(':id/deliveries')
  @Operation({
    access: 'read',
    summary: 'What a channel was sent in the last 30 days, newest first',
    answer: alertDeliveryListSchema,
  })
  async listAlertDeliveries(
    @CurrentScope() scope: Scope,
    @ChannelId() id: string,
    @Query({ schema: listAlertDeliveriesSchema }) query: ListAlertDeliveries,
  ) {
    await this.channels.get(scope, id);
    return listOf('deliveries', await this.deliveries.list(scope, id, query), alertDelivery);
  }

  @Post(':id/test')
  @HttpCode(200)
  @Operation({ access: 'write', summary: 'Send a channel a message', answer: alertChannelTestSchema, limit: 5 })
  async testAlertChannel(@CurrentScope() scope: Scope, @ChannelId() id: string) {
    const channel = await this.channels.get(scope, id);
    const [began, now] = [performance.now(), Date.now()];
    const message = { id: newId(), type: 'alert.test' as const, created_at: formatTimestamp(now) };
    const nothing = { project_id: scope.projectId, alert: null, key: null, value: null };
    const sent = await this.messages.send(channel, { ...message, ...nothing }, now);
    return { ok: sent.error === null, ...sent, latency_ms: Math.round(performance.now() - began) };
  }
}
