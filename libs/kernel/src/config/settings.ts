import type { CaptureSetting } from './capture-setting.js';
import type { Config } from './config-schema.js';

/** Dollars per million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
  cached_input?: number | undefined;
}

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
  /** `undefined`: all features of the mode. */
  features: readonly string[] | undefined;
  plugins: readonly PluginEntry[];
  limits: { bodyBytes: number };
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
    features: config.features,
    plugins: config.plugins.map((entry) =>
      withBaseUrl(config, typeof entry === 'string' ? { use: entry, config: {} } : entry),
    ),
    limits: { bodyBytes: config.limits.body_bytes },
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

function withBaseUrl(config: Config, entry: PluginEntry): PluginEntry {
  const baseUrl = (config.provider_base_urls as Record<string, string | null | undefined>)[entry.use];
  return baseUrl ? { use: entry.use, config: { ...entry.config, base_url: baseUrl } } : entry;
}
