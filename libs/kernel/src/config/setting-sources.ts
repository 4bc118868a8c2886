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

/** Every flag and variable (contract.md "Starting it"). A flag beats its variable. */
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
    path: 'redis_url',
    kind: 'text',
    variable: 'REDIS_URL',
    secret: true,
    help: 'redis:// or rediss:// URL: carries live events between instances',
  },
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
