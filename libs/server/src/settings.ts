/** Settings of the API server by the files that declare them, which load neither framework nor database. */
import type { SettingsPart } from '@spandrel/kernel/launch';
import { AccessSettings } from '../../access/src/access.settings.js';
import { JwtSettings } from '../../access/src/credentials/jwt.settings.js';
import { OidcSettings } from '../../access/src/oidc/oidc.settings.js';
import { AlertsSettings } from '../../alerts/src/alerts.settings.js';
import { AuditSettings } from '../../audit/src/audit.settings.js';
import { SharingSettings } from '../../collaboration/src/collaboration.settings.js';
import { ConnectionsSettings } from '../../connections/src/connections.settings.js';
import { DatasetsSettings } from '../../datasets/src/datasets.settings.js';
import { ScoringSettings } from '../../online-scoring/src/online-scoring.settings.js';
import { EvalsSettings } from '../../evals/src/evals.settings.js';
import { EventsSettings } from '../../events/src/events.settings.js';
import { McpSettings } from '../../mcp/src/mcp.settings.js';
import { OtlpSettings } from '../../otlp/src/otlp.settings.js';
import { QueueSettings } from '../../queue/src/queue.settings.js';
import { TrySettings } from '../../replay/src/try/try.settings.js';
import { ReadStoreSettings } from '../../read-store/src/read-store.settings.js';
import { SearchSettings } from '../../search/src/search.settings.js';
import { DatabaseSettings } from '../../storage/src/storage.settings.js';
import { ScanSettings, TracingSettings } from '../../tracing/src/tracing.settings.js';
import { TransferSettings } from '../../transfer/src/transfer.settings.js';

export const SERVER_SETTINGS: readonly SettingsPart[] = [
  DatabaseSettings,
  EventsSettings,
  AccessSettings,
  JwtSettings,
  OidcSettings,
  AuditSettings,
  TracingSettings,
  ScanSettings,
  OtlpSettings,
  DatasetsSettings,
  QueueSettings,
  ConnectionsSettings,
  EvalsSettings,
  ScoringSettings,
  TrySettings,
  AlertsSettings,
  SharingSettings,
  TransferSettings,
  SearchSettings,
  ReadStoreSettings,
  McpSettings,
];
