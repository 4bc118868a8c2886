import type { Provider } from '../provider.js';
import type { RecordedCallFixture } from './fixtures.js';

/**
 * Hands one JSON value to everything of a provider that reads, for property tests. @throws what the provider throws.
 */
export function readEverything(provider: Provider, calls: readonly RecordedCallFixture[], value: unknown): void {
  const data = JSON.stringify(value) ?? '';
  for (const { request } of calls) {
    const endpoint = provider.endpoint({ method: 'POST', path: request.path, headers: request.headers ?? {} });
    endpoint?.readRequest(value);
    endpoint?.readAnswer(value);
    const reader = endpoint?.readStream();
    for (const frame of [{ data }, { data, event: data }, { data: data.slice(1) }]) {
      reader?.push(frame);
      reader?.answer();
    }
  }
  provider.errorMessage(value);
  provider.chat.readAnswer(value);
  provider.chat.readModels(value);
}
