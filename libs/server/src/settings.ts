/**
 * What users set of the API server, by the files that declare it: they load neither framework nor database, which the
 * command line does without. `settings.spec.ts` keeps the list equal to what the features say.
 */
import type { SettingsPart } from '@spandrel/kernel/launch';
import { AccessSettings } from '../../access/src/access.settings.js';
import { JwtSettings } from '../../access/src/credentials/jwt.settings.js';
import { OidcSettings } from '../../access/src/oidc/oidc.settings.js';
import { AuditSettings } from '../../audit/src/audit.settings.js';
import { ConnectionsSettings } from '../../connections/src/connections.settings.js';
import { DatasetsSettings } from '../../datasets/src/datasets.settings.js';
import { EvalsSettings } from '../../evals/src/evals.settings.js';
import { EventsSettings } from '../../events/src/events.settings.js';
import { McpSettings } from '../../mcp/src/mcp.settings.js';
import { OtlpSettings } from '../../otlp/src/otlp.settings.js';
import { QueueSettings } from '../../queue/src/queue.settings.js';
import { SearchSettings } from '../../search/src/search.settings.js';
import { DatabaseSettings } from '../../storage/src/storage.settings.js';
import { TracingSettings } from '../../tracing/src/tracing.settings.js';
import { TransferSettings } from '../../transfer/src/transfer.settings.js';

/** Every part of the API server's settings, beside those that every program has. */
export const SERVER_SETTINGS: readonly SettingsPart[] = [
  DatabaseSettings,
  EventsSettings,
  AccessSettings,
  JwtSettings,
  OidcSettings,
  AuditSettings,
  TracingSettings,
  OtlpSettings,
  DatasetsSettings,
  QueueSettings,
  ConnectionsSettings,
  EvalsSettings,
  TransferSettings,
  SearchSettings,
  McpSettings,
];
