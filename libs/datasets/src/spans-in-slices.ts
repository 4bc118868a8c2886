import type { Scope } from '@spandrel/kernel';
import type { SpanStore, StoredSpan } from '@spandrel/tracing';

/** The spans of some ids, in their order, as many at a time as fit into memory; those that are not there are left out. */
export async function* spansInSlices(
  spans: Pick<SpanStore, 'loadSome'>,
  scope: Scope,
  ids: readonly string[],
): AsyncGenerator<StoredSpan[]> {
  for (let at = 0; at < ids.length;) {
    const wanted = ids.slice(at);
    const loaded = await spans.loadSome(scope, wanted, {});
    // One that is gone is passed over, also where nothing else was loaded.
    at += Math.max(1, wanted.indexOf(loaded.at(-1)?.id ?? '') + 1);
    yield loaded;
  }
}
