import type { ModelPrice } from '@spandrel/plugin-api';
import type { CaptureSetting } from './capture-setting.js';
import type { Config } from './config-schema.js';

/** One plugin to load. */
export interface PluginEntry {
  /** Built-in name, npm package or absolute file path. */
  use: string;
  config: Record<string, unknown>;
}

/** The settings of this process: the users' config, completed. */
export interface Settings {
  mode: 'local' | 'cloud';
  host: string;
  port: number;
  /** Absolute. */
  dataDir: string;
  logLevel: string;
  /** How long server and gateway still serve once they are told to stop, so that balancers take them out first. */
  shutdownDelayMs: number;
  /** `undefined`: all features of the mode. */
  features: readonly string[] | undefined;
  plugins: readonly PluginEntry[];
  limits: {
    bodyBytes: number;
    /** Of a file imported into a dataset. */
    importFileBytes: number;
    /** Of an export that is imported as a whole. */
    importBytes: number;
    /** Of an organization that has no limit of its own, in cloud mode. */
    requestsPerSecond: number;
    /** Of an organization at one server, in cloud mode. */
    eventStreams: number;
  };
  /** Of cloud mode; local mode has its data directory. */
  database: {
    /** `postgres://…`; `null`: not set. */
    url: string | null;
    /** Connections of this process at most. */
    poolMax: number;
    /** A statement that takes longer is given up. */
    statementTimeoutMs: number;
  };
  /** Who is let in, in cloud mode; `null`: not set. */
  auth: {
    /** May do all that is administrative. */
    adminToken: string | null;
    /** May read `/metrics`, of server and gateway. */
    metricsToken: string | null;
    /** Verifies HS256. */
    jwtSecret: string | null;
    /** Keys that verify RS256 and ES256. */
    jwksUrl: string | null;
    jwtIssuer: string | null;
    jwtAudience: string | null;
  };
  retention: {
    /** How often what a plan does not keep is deleted. */
    intervalMs: number;
  };
  search: {
    /** Name of the search index plugin; `null`: there is no search. */
    index: string | null;
    /** Makes vectors of texts. */
    embedding: {
      /** Name of the provider connection that a project has for it; one without has text search alone. */
      connection: string;
      /** `null`: the connection's default model. */
      model: string | null;
    };
  };
  /** Whether every request leaves a line in the log. */
  accessLog: boolean;
  /** Carries live events between instances; `null`: there is one instance. */
  redisUrl: string | null;
  events: {
    /** How long the log keeps events for replay. */
    retentionMs: number;
    /** What may wait for one client of the stream before it is sent from the log at its own pace. */
    queuedBytes: number;
    /** A client that takes nothing for so long is disconnected. */
    stalledMs: number;
    /** A client that has fallen behind and not caught up for so long is disconnected. */
    behindMs: number;
  };
  /** Seals the keys of provider connections; `null`: local mode makes one in the data directory. */
  secretKey: Buffer | null;
  connections: {
    /** Hosts that connections of cloud mode may lead to though they are not public. */
    allowPrivate: readonly string[];
  };
  evals: {
    /** Datapoints of one run that are called at once. */
    concurrency: number;
    /** Model calls of all runs at once. */
    callsMax: number;
  };
  queue: {
    /** After which a claim is released; `null`: never. */
    claimTimeoutSeconds: number | null;
  };
  pricing: { models: Record<string, ModelPrice> };
  gateway: {
    enabled: boolean;
    port: number;
    apiUrl: string;
    /** The gateway's own credential at the API; `null` in local mode. */
    apiKey: string | null;
    capture: CaptureSetting;
    /** Absolute. */
    spoolDir: string | null;
    spoolItems: number;
    spoolBytes: number;
    recordBytes: number;
    forwardAllow: readonly string[];
  };
}

/**
 * Completes a checked config: derived defaults, absolute paths, one form of each thing.
 * @param absolute makes a path of the config absolute.
 */
export function toSettings(config: Config, absolute: (path: string) => string): Settings {
  const { gateway } = config;
  return {
    mode: config.mode,
    host: config.host,
    port: config.port,
    dataDir: absolute(config.data_dir),
    logLevel: config.log_level,
    shutdownDelayMs: config.shutdown_delay * 1_000,
    features: config.features,
    plugins: config.plugins
      .map((entry) => (typeof entry === 'string' ? { use: entry, config: {}, enabled: true } : entry))
      .filter(({ enabled }) => enabled)
      .map((entry) => withBaseUrl(config, entry)),
    limits: {
      bodyBytes: config.limits.body_bytes,
      importFileBytes: config.limits.import_file_bytes,
      importBytes: config.limits.import_bytes,
      requestsPerSecond: config.limits.requests_per_second,
      eventStreams: config.limits.event_streams,
    },
    database: {
      url: config.database.url,
      poolMax: config.database.pool_max,
      statementTimeoutMs: config.database.statement_timeout * 1_000,
    },
    auth: {
      adminToken: config.auth.admin_token,
      metricsToken: config.auth.metrics_token,
      jwtSecret: config.auth.jwt_secret,
      jwksUrl: config.auth.jwks_url,
      jwtIssuer: config.auth.jwt_issuer,
      jwtAudience: config.auth.jwt_audience,
    },
    retention: { intervalMs: config.retention.interval * 1_000 },
    search: {
      index: config.search.index,
      embedding: config.search.embedding,
    },
    accessLog: config.access_log,
    redisUrl: config.redis_url,
    events: {
      retentionMs: config.events.retention_hours * 3_600_000,
      queuedBytes: config.events.queued_bytes,
      stalledMs: config.events.stalled_seconds * 1_000,
      behindMs: config.events.behind_seconds * 1_000,
    },
    secretKey: config.secret_key,
    connections: { allowPrivate: config.connections.allow_private },
    evals: { concurrency: config.evals.concurrency, callsMax: config.evals.calls_max },
    queue: { claimTimeoutSeconds: config.queue.claim_timeout },
    pricing: config.pricing,
    gateway: {
      enabled: gateway.enabled,
      port: gateway.port ?? (config.port === 0 ? 0 : config.port + 1),
      apiUrl: (gateway.api_url ?? `http://127.0.0.1:${config.port}`).replace(/\/+$/, ''),
      apiKey: gateway.api_key,
      capture: gateway.capture,
      spoolDir: gateway.spool_dir === null ? null : absolute(gateway.spool_dir),
      spoolItems: gateway.spool_items,
      spoolBytes: gateway.spool_bytes,
      recordBytes: gateway.record_bytes,
      forwardAllow: gateway.forward_allow,
    },
  };
}

function withBaseUrl(config: Config, { use, config: own }: PluginEntry): PluginEntry {
  const baseUrl = (config.provider_base_urls as Record<string, string | null | undefined>)[use];
  return { use, config: baseUrl ? { ...own, base_url: baseUrl } : own };
}
