import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeSDK, type NodeSDKConfiguration } from '@opentelemetry/sdk-node';

/**
 * Runs an application under OpenTelemetry's SDK, which takes everything from `OTEL_*` variables, and exports what it made.
 * Calls by `fetch` are instrumented too, so that they carry `traceparent`.
 */
export async function withSdk(
  instrumentations: NodeSDKConfiguration['instrumentations'],
  application: () => Promise<unknown>,
): Promise<void> {
  const sdk = new NodeSDK({ instrumentations: [...instrumentations, new UndiciInstrumentation()] });
  sdk.start();
  try {
    await application();
  } finally {
    await sdk.shutdown();
  }
}
