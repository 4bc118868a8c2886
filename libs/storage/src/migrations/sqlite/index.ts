import type { MigrationObject } from '@mikro-orm/core';
import { TracesAndSpans } from './20261120124038-traces-and-spans.js';
import { DatasetsEvalsQueueConnections } from './20261121144510-datasets-evals-queue-connections.js';
import { EventsAndAnalytics } from './20261121173822-events-and-analytics.js';
import { SpanQueryIndexes } from './20261121175520-span-query-indexes.js';
import { Access } from './20261121205000-access.js';
import { Search } from './20261121206000-search.js';
import { UnpricedCounts } from './20261122110000-unpriced-counts.js';
import { TracesOfItems } from './20261122111000-traces-of-items.js';
import { UsageCover } from './20261122150000-usage-cover.js';
import { AnalyticsLatencies } from './20261122180000-analytics-latencies.js';
import { BrowserSessions } from './20261122204017-browser-sessions.js';
import { KeyHolders } from './20261123031014-key-holders.js';
import { AuditChain } from './20261123100000-audit-chain.js';
import { MaskingRules } from './20261123103000-masking-rules.js';
import { AuditTold } from './20261123110000-audit-told.js';
import { People } from './20261123113000-people.js';
import { ProjectSettings } from './20261123130000-project-settings.js';

export const sqliteMigrations: MigrationObject[] = [
  { name: '20261120124038-traces-and-spans', class: TracesAndSpans },
  { name: '20261121144510-datasets-evals-queue-connections', class: DatasetsEvalsQueueConnections },
  { name: '20261121173822-events-and-analytics', class: EventsAndAnalytics },
  { name: '20261121175520-span-query-indexes', class: SpanQueryIndexes },
  { name: '20261121205000-access', class: Access },
  { name: '20261121206000-search', class: Search },
  { name: '20261122110000-unpriced-counts', class: UnpricedCounts },
  { name: '20261122111000-traces-of-items', class: TracesOfItems },
  { name: '20261122150000-usage-cover', class: UsageCover },
  { name: '20261122180000-analytics-latencies', class: AnalyticsLatencies },
  { name: '20261122204017-browser-sessions', class: BrowserSessions },
  { name: '20261123031014-key-holders', class: KeyHolders },
  { name: '20261123100000-audit-chain', class: AuditChain },
  { name: '20261123103000-masking-rules', class: MaskingRules },
  { name: '20261123110000-audit-told', class: AuditTold },
  { name: '20261123113000-people', class: People },
  { name: '20261123130000-project-settings', class: ProjectSettings },
];
