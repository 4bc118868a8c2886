import { accessFeature } from '@spandrel/access';
import { alertsFeature } from '@spandrel/alerts';
import { analyticsFeature } from '@spandrel/analytics';
import { auditFeature } from '@spandrel/audit';
import { collaborationFeature, sharingFeature } from '@spandrel/collaboration';
import { connectionsFeature } from '@spandrel/connections';
import { dashboardFeature } from '@spandrel/dashboard';
import { datasetsFeature } from '@spandrel/datasets';
import { evalsFeature } from '@spandrel/evals';
import { eventsFeature } from '@spandrel/events';
import type { Feature } from '@spandrel/kernel';
import { maskingFeature } from '@spandrel/masking';
import { mcpFeature } from '@spandrel/mcp';
import { onlineScoringFeature } from '@spandrel/online-scoring';
import { otlpFeature } from '@spandrel/otlp';
import { queueFeature } from '@spandrel/queue';
import { replayFeature } from '@spandrel/replay';
import { readStoreFeature } from '@spandrel/read-store';
import { scoresFeature } from '@spandrel/scores';
import { searchFeature } from '@spandrel/search';
import { tracingFeature } from '@spandrel/tracing';
import { transferFeature } from '@spandrel/transfer';

/** Every feature this server has; config `features:` selects among them. */
export const FEATURES: readonly Feature[] = [
  eventsFeature,
  accessFeature,
  auditFeature,
  maskingFeature,
  tracingFeature,
  otlpFeature,
  scoresFeature,
  datasetsFeature,
  queueFeature,
  connectionsFeature,
  evalsFeature,
  onlineScoringFeature,
  replayFeature,
  analyticsFeature,
  alertsFeature,
  collaborationFeature,
  sharingFeature,
  transferFeature,
  searchFeature,
  readStoreFeature,
  dashboardFeature,
  mcpFeature,
];
