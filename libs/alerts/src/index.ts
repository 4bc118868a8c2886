export { alertsFeature, AlertsModule } from './alerts.module.js';
export { AlertStore, exportedAlert } from './alert.store.js';
export { AlertChannelStore, exportedAlertChannel } from './alert-channel.store.js';
export { DeliverAlerts } from './deliver-alerts.js';
export { NotifyMention } from './notify-mention.js';
export type { MentionMessage } from './alert-message.js';
export { EvaluateAlerts } from './evaluate-alerts.js';
