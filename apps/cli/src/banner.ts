import type { CoreSettings } from '@spandrel/kernel/launch';

/** What the user reads at start: where things are and how to point a client at them. */
export function banner(settings: CoreSettings, apiPort: number, gatewayPort: number | undefined): string {
  const lines = ['', `  Spandrel runs in ${settings.mode} mode.`, ''];
  if (settings.features?.includes('dashboard') ?? true) lines.push(`  Dashboard  http://127.0.0.1:${apiPort}`);
  lines.push(`  API        http://127.0.0.1:${apiPort}/api`);
  if (gatewayPort !== undefined) lines.push(`  Gateway    http://127.0.0.1:${gatewayPort}`);
  if (settings.mode === 'local') lines.push(`  Data       ${settings.dataDir}`);
  const isCloud = settings.mode === 'cloud';
  if (gatewayPort !== undefined) {
    lines.push(
      '',
      '  Point a client at the gateway and its calls are recorded:',
      `    OpenAI     OPENAI_BASE_URL=http://127.0.0.1:${gatewayPort}/v1`,
      `    Anthropic  ANTHROPIC_BASE_URL=http://127.0.0.1:${gatewayPort}`,
      `    Ollama     OLLAMA_HOST=http://127.0.0.1:${gatewayPort}`,
      ...(isCloud ? ['    with the header X-Spandrel-Key: spn_sk_… (spandrel admin key create)'] : []),
    );
  }
  lines.push(
    '',
    '  Let an application with OpenTelemetry send it to the API:',
    `    OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:${apiPort}`,
    ...(isCloud ? ['    OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20spn_sk_…'] : []),
    '',
    '  Read it back:',
    `    curl http://127.0.0.1:${apiPort}/api/traces${isCloud ? " -H 'Authorization: Bearer spn_sk_…'" : ''}`,
  );
  return `${lines.join('\n')}\n\n`;
}
