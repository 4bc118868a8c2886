/** A setting that a flag or a variable can give. */
export interface SettingSource {
  /** Where it stands in the config, dotted. */
  path: string;
  kind: 'text' | 'integer' | 'boolean' | 'switch';
  /** `--port`; a switch named `--no-…` turns its setting off. */
  flag?: string;
  variable?: string;
  /** Also read from the file that `<variable>_FILE` names. */
  secret?: boolean;
  help: string;
}

/** Every flag and variable (docs/spec/configuration.md#flags-and-variables). A flag beats its variable. */
export const SETTING_SOURCES: readonly SettingSource[] = [
  { path: 'mode', kind: 'text', flag: '--mode', variable: 'SPANDREL_MODE', help: 'local or cloud' },
  { path: 'host', kind: 'text', variable: 'SPANDREL_HOST', help: 'address the API listens on' },
  { path: 'port', kind: 'integer', flag: '--port', variable: 'SPANDREL_PORT', help: 'port of the API' },
  {
    path: 'data_dir',
    kind: 'text',
    flag: '--data-dir',
    variable: 'SPANDREL_DATA_DIR',
    help: 'where local mode keeps its data',
  },
  {
    path: 'log_level',
    kind: 'text',
    variable: 'SPANDREL_LOG_LEVEL',
    help: 'trace, debug, info, warn, error, fatal or silent',
  },
  {
    path: 'access_log',
    kind: 'boolean',
    variable: 'SPANDREL_ACCESS_LOG',
    help: 'true or false: a line in the log for every request',
  },
  {
    path: 'shutdown_delay',
    kind: 'integer',
    variable: 'SPANDREL_SHUTDOWN_DELAY',
    help: 'seconds that server and gateway still serve after SIGTERM, for balancers to notice',
  },
  {
    path: 'redis_url',
    kind: 'text',
    variable: 'REDIS_URL',
    secret: true,
    help: 'redis:// or rediss:// URL: carries live events between instances',
  },
  {
    path: 'database.url',
    kind: 'text',
    variable: 'DATABASE_URL',
    secret: true,
    help: 'postgres:// URL of the database (cloud mode)',
  },
  {
    path: 'database.pool_max',
    kind: 'integer',
    variable: 'SPANDREL_DATABASE_POOL',
    help: 'connections to the database at most (cloud mode)',
  },
  {
    path: 'auth.admin_token',
    kind: 'text',
    variable: 'SPANDREL_ADMIN_TOKEN',
    secret: true,
    help: 'the credential for all that is administrative (cloud mode)',
  },
  {
    path: 'auth.metrics_token',
    kind: 'text',
    variable: 'SPANDREL_METRICS_TOKEN',
    secret: true,
    help: 'a credential for /metrics alone (cloud mode)',
  },
  {
    path: 'auth.jwt_secret',
    kind: 'text',
    variable: 'SPANDREL_JWT_SECRET',
    secret: true,
    help: 'verifies JWTs signed with HS256 (cloud mode)',
  },
  {
    path: 'auth.jwks_url',
    kind: 'text',
    variable: 'SPANDREL_JWKS_URL',
    help: 'where the keys are that verify JWTs signed with RS256 or ES256 (cloud mode)',
  },
  { path: 'auth.jwt_issuer', kind: 'text', variable: 'SPANDREL_JWT_ISSUER', help: '`iss` that JWTs must have' },
  { path: 'auth.jwt_audience', kind: 'text', variable: 'SPANDREL_JWT_AUDIENCE', help: '`aud` that JWTs must have' },
  {
    path: 'limits.requests_per_second',
    kind: 'integer',
    variable: 'SPANDREL_RATE_LIMIT',
    help: 'requests per second of an organization without a limit of its own (cloud mode)',
  },
  {
    path: 'retention.interval',
    kind: 'integer',
    variable: 'SPANDREL_RETENTION_INTERVAL',
    help: 'seconds between two deletions of what the plans do not keep (cloud mode)',
  },
  { path: 'search.index', kind: 'text', variable: 'SPANDREL_SEARCH_INDEX', help: 'search index plugin (cloud mode)' },
  {
    path: 'secret_key',
    kind: 'text',
    variable: 'SPANDREL_SECRET_KEY',
    secret: true,
    help: '32 bytes, base64 or hex: seals the keys of provider connections',
  },
  { path: 'gateway.enabled', kind: 'switch', flag: '--no-gateway', help: 'run the API alone' },
  {
    path: 'gateway.port',
    kind: 'integer',
    flag: '--gateway-port',
    variable: 'SPANDREL_GATEWAY_PORT',
    help: 'port of the gateway; the API port plus one unless given',
  },
  { path: 'gateway.api_url', kind: 'text', variable: 'SPANDREL_API_URL', help: 'where the gateway finds the API' },
  {
    path: 'gateway.api_key',
    kind: 'text',
    variable: 'SPANDREL_API_KEY',
    secret: true,
    help: "the gateway's credential at the API (cloud mode)",
  },
  { path: 'gateway.capture', kind: 'text', variable: 'SPANDREL_CAPTURE', help: 'Full, Preview(N) or Off' },
  {
    path: 'gateway.spool_dir',
    kind: 'text',
    variable: 'SPANDREL_SPOOL_DIR',
    help: 'where the gateway keeps undelivered recordings',
  },
  {
    path: 'provider_base_urls.openai',
    kind: 'text',
    variable: 'SPANDREL_OPENAI_BASE_URL',
    help: 'where OpenAI requests go',
  },
  {
    path: 'provider_base_urls.anthropic',
    kind: 'text',
    variable: 'SPANDREL_ANTHROPIC_BASE_URL',
    help: 'where Anthropic requests go',
  },
  {
    path: 'provider_base_urls.ollama',
    kind: 'text',
    variable: 'SPANDREL_OLLAMA_BASE_URL',
    help: 'where Ollama requests go',
  },
];

/** The flag and variable of the config file itself. */
export const CONFIG_FILE_SOURCE = { flag: '--config', variable: 'SPANDREL_CONFIG' } as const;
