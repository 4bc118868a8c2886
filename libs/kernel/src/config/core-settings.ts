import { z } from 'zod';
import { defineSettings, setting } from './setting.js';
import { settingValue } from './value-schemas.js';

export interface PluginEntry {
  /** Built-in name, npm package or absolute file path. */
  use: string;
  config: Record<string, unknown>;
}

const pluginEntry = z.union([
  z.string().min(1),
  z.strictObject({
    use: z.string().min(1),
    config: z.record(z.string(), z.unknown()).default({}),
    enabled: z.boolean().default(true),
  }),
]);

const pluginEntries = z.array(pluginEntry).transform((entries): readonly PluginEntry[] =>
  entries
    .map((entry) => (typeof entry === 'string' ? { use: entry, config: {}, enabled: true } : entry))
    .filter(({ enabled }) => enabled)
    .map(({ use, config }) => ({ use, config })),
);

const providerBase = (plugin: string, title: string) =>
  setting(`provider_base_urls.${plugin}`, settingValue.httpUrl.nullable(), {
    default: null,
    doc: `Where ${title} requests go.`,
    source: { variable: `SPANDREL_${plugin.toUpperCase()}_BASE_URL` },
  });

const PROVIDERS = ['openai', 'anthropic', 'ollama', 'custom'];
const SCORERS = [
  ...[
    'exact-match',
    'contains',
    'llm-judge',
    'preference',
    'none',
    'regex',
    'json-schema',
    'json-equal',
    'levenshtein',
  ],
  ...['embedding-similarity', 'latency', 'cost'],
];

/** The particular before the general: for each member of a span the first dialect that knows it is taken. */
const DIALECTS = [
  ...['langfuse', 'openinference', 'vercel-ai', 'claude-code', 'mlflow', 'langsmith'],
  ...['traceloop', 'logfire', 'mastra', 'google-adk', 'genkit', 'codex', 'livekit'],
  ...['sentry', 'typed-spans', 'gen-ai'],
];

const MASKERS = ['email', 'phone', 'card', 'iban', 'ip', 'secret', 'pattern'];

/** The settings that every program has: mode and addresses, log, plugins, and what the kernel itself does. */
export class CoreSettings extends defineSettings(
  {
    mode: setting('mode', z.enum(['local', 'cloud']), {
      default: 'local',
      doc: 'local or cloud. local: SQLite, no login, one machine. cloud: Postgres, keys, tenants.',
      source: { flag: '--mode', variable: 'SPANDREL_MODE' },
    }),
    host: setting('host', z.string().min(1), {
      default: '127.0.0.1',
      doc: "Address the API listens on. In local mode it is always this machine's own.",
      inCloud: { value: '0.0.0.0', doc: 'Cloud mode listens for other machines.' },
      source: { variable: 'SPANDREL_HOST' },
    }),
    port: setting('port', settingValue.port, {
      default: 3_000,
      doc: 'Port of the API.',
      source: { flag: '--port', variable: 'SPANDREL_PORT', kind: 'integer' },
    }),
    dataDir: setting('data_dir', z.string().min(1), {
      default: './data',
      doc: 'Where local mode keeps its data; relative to the folder the program is started in.',
      isPath: true,
      source: { flag: '--data-dir', variable: 'SPANDREL_DATA_DIR' },
    }),
    logLevel: setting('log_level', z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']), {
      default: 'info',
      doc: 'The least level that the log writes: trace, debug, info, warn, error, fatal or silent.',
      source: { variable: 'SPANDREL_LOG_LEVEL' },
    }),
    accessLog: setting('access_log', z.boolean(), {
      default: false,
      doc: 'Whether every request leaves a line in the log (never its query string, headers or bodies). Warnings and errors are written in any case.',
      inCloud: { value: true, doc: 'Who called what is asked for where many do.' },
      source: { flag: '--access-log', variable: 'SPANDREL_ACCESS_LOG', kind: 'boolean' },
    }),
    /** `null`: as it suits what the log goes to. */
    logFormat: setting('log_format', z.enum(['pretty', 'json']).nullable(), {
      default: null,
      doc: 'How the log is written: pretty, for people, or json, an object a line; null: pretty on a terminal, else json.',
      source: { flag: '--log-format', variable: 'SPANDREL_LOG_FORMAT' },
    }),
    /** How long server and gateway still serve once they are asked to stop, so that balancers take them out first. */
    shutdownDelayMs: setting('shutdown_delay', settingValue.seconds(0, 600), {
      default: 0,
      doc: 'Seconds that server and gateway still serve after SIGTERM, with /readyz at 503 and its connections closing one by one, so that balancers take it out before it refuses anything. The stop itself takes 10 seconds at most, behind that.',
      inCloud: { value: 5, doc: 'Longer than balancers take to see that /readyz says 503.' },
      source: { variable: 'SPANDREL_SHUTDOWN_DELAY', kind: 'integer' },
    }),
    /** `undefined`: all features of the mode. */
    features: setting('features', z.array(z.string()).optional(), {
      default: undefined,
      doc: 'Which features load; all of the mode when the key is absent:\n  features: [events, tracing]',
    }),
    plugins: setting('plugins', pluginEntries, {
      default: [...PROVIDERS, ...SCORERS, ...DIALECTS, ...MASKERS],
      doc: 'Providers, scoring strategies of evaluations, dialects of OpenTelemetry, maskers and search indexes: built-in names, npm packages or file paths (relative to the file that lists them). An entry that takes config is written { use: name-or-path, config: { … } }. The list of your own file is put before this one; to leave a built-in out, list it as { use: name, enabled: false }.',
    }),
    openaiBaseUrl: providerBase('openai', 'OpenAI'),
    anthropicBaseUrl: providerBase('anthropic', 'Anthropic'),
    ollamaBaseUrl: providerBase('ollama', 'Ollama'),
    trustProxy: setting('http.trust_proxy', settingValue.networks, {
      default: [],
      doc: 'Addresses and networks of the proxies before server and gateway, whose X-Forwarded-For gives the address of a client to the log, to the limit of wrong credentials and to the audit log. Others can write into it what they like.',
      source: { variable: 'SPANDREL_TRUST_PROXY', kind: 'list' },
    }),
    /** `null`: browsers get no such header. */
    hstsSeconds: setting('http.hsts_seconds', z.number().int().min(0).max(63_072_000).nullable(), {
      default: null,
      doc: 'Seconds for which browsers are to ask this host over https alone (Strict-Transport-Security), such as 31536000; 0 takes that back. Only where everything on the host is reached over https.',
      source: { variable: 'SPANDREL_HSTS_SECONDS', kind: 'integer' },
    }),
    wrongCredentials: setting('limits.wrong_credentials', z.number().int().min(1), {
      default: 20,
      doc: 'Cloud mode: wrong credentials from one address within a minute before they are answered with 429; right ones are never held up.',
      source: { variable: 'SPANDREL_WRONG_CREDENTIALS', kind: 'integer' },
    }),
    bodyBytes: setting('limits.body_bytes', settingValue.bytes, {
      default: 10_485_760,
      doc: 'Largest body of a request, in bytes.',
    }),
    bodyValues: setting('limits.body_values', z.number().int().min(1_000), {
      default: 500_000,
      doc: 'Most objects, lists, texts, numbers, true, false and null together in the JSON of a body, or of a row or an item of an import.',
    }),
    /** `null`: there is one instance. */
    redisUrl: setting('redis_url', settingValue.redisUrl.nullable(), {
      default: null,
      doc: 'Carries live events between instances (cloud mode); better given by REDIS_URL or REDIS_URL_FILE.',
      source: { variable: 'REDIS_URL', secret: true },
    }),
    metricsToken: setting('auth.metrics_token', settingValue.secretText.nullable(), {
      default: null,
      doc: 'May read /metrics of server and gateway, and nothing else: for Prometheus.',
      source: { variable: 'SPANDREL_METRICS_TOKEN', secret: true },
    }),
  },
  {
    provider_base_urls: "Bases of the built-in providers, without /v1; null takes the provider's own.",
  },
) {}

/** Addresses that local mode may listen on (docs/spec/access.md#local-mode-is-for-this-machine-alone). */
const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

export const hostFault = ({ mode, host }: Pick<CoreSettings, 'mode' | 'host'>): string | undefined =>
  mode === 'local' && !LOOPBACK.includes(host)
    ? 'local mode has no login and listens on this machine only (127.0.0.1)'
    : undefined;

/** The plugins, those of built-in providers with the base that the settings give them. */
export function pluginsWithBases(core: CoreSettings): readonly PluginEntry[] {
  const bases: Readonly<Record<string, string | null>> = {
    openai: core.openaiBaseUrl,
    anthropic: core.anthropicBaseUrl,
    ollama: core.ollamaBaseUrl,
  };
  return core.plugins.map(({ use, config }) => {
    const base = Object.hasOwn(bases, use) ? bases[use] : null;
    return { use, config: base ? { ...config, base_url: base } : config };
  });
}
