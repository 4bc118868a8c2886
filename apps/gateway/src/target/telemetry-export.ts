import type { RequestHead } from '@spandrel/plugin-api';
import type { Addresses } from './wrong-address.js';

const EXPORT_PATHS: ReadonlySet<string> = new Set(['/v1/traces', '/v1/logs', '/v1/metrics']);

/**
 * Tells what is wrong with an export of OpenTelemetry that came to the gateway (docs/spec/otlp.md#exports-at-the-gateway).
 * It holds prompts, and no provider takes it: it is never forwarded, whatever its headers say.
 * @param addresses asked for at such a mistake only.
 * @returns `undefined` for all other requests.
 */
export function telemetryExportFault({ method, path }: RequestHead, addresses: () => Addresses): string | undefined {
  if (method !== 'POST' || !EXPORT_PATHS.has(path)) return undefined;
  const { api } = addresses();
  const endpoint =
    api === null
      ? "set OTEL_EXPORTER_OTLP_ENDPOINT to the API's own address"
      : `set OTEL_EXPORTER_OTLP_ENDPOINT=${api}${portOf(api)}`;
  return `This is the gateway, which takes model calls: exports of OpenTelemetry go to the API; ${endpoint}.`;
}

/** The port in words where the address has one. */
function portOf(api: string): string {
  const port = URL.parse(api)?.port;
  return port ? ` (port ${port})` : '';
}
