import { SpandrelError, type Api } from '@spandrel/sdk';
import { failed, ok, type Check } from './check.js';

/** A stream says something at once; what comes later was held back on the way. */
const FIRST_BYTE_MS_MAX = 5_000;

/** Opens the stream of events and waits for its first bytes: a proxy that gathers answers holds them back. */
export async function checkEvents(api: Api, signal: AbortSignal): Promise<Check> {
  const stream = new AbortController();
  const either = AbortSignal.any([signal, stream.signal]);
  let opened = false;
  const timer = setTimeout(() => stream.abort(), FIRST_BYTE_MS_MAX);
  try {
    const { body } = await api.raw('GET', '/api/events', { query: { view: 'outline' }, signal: either, retry: false });
    opened = true;
    const { done } = await body!.getReader().read();
    if (!done) return ok('events', 'the stream of events comes as it is written');
    return failed('events', 'the stream of events ended at once', 'look for a proxy that ends long answers');
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SpandrelError && error.status >= 400) {
      return failed(
        'events',
        `the server refused the stream: ${error.code} (${error.detail})`,
        'a key needs the scope read',
      );
    }
    const message = opened ? 'the stream of events was opened, and nothing came' : 'the stream of events did not open';
    return failed(
      'events',
      message,
      'let the proxy in between pass answers on as they come (nginx: proxy_buffering off)',
    );
  } finally {
    clearTimeout(timer);
    stream.abort();
  }
}
