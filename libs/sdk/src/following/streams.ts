import { setOwnMember, type AnyFunction } from './own-member.js';
import type { Watch } from './watch.js';

/** A stream of Node. */
interface NodeStream {
  emit: AnyFunction;
  pipe: AnyFunction;
}

/** Whether a value is a stream of Node from which something may still come. */
export const isNodeStream = (value: object): value is NodeStream => {
  const { emit, pipe, read, readable } = value as Partial<Record<'emit' | 'pipe' | 'read' | 'readable', unknown>>;
  return [emit, pipe, read].every((method) => typeof method === 'function') && readable === true;
};

/** Shows the chunks that a stream of Node gives; it stays the same object, and nothing listens to it that did not before. */
export function watchNodeStream(stream: NodeStream, watch: Watch): void {
  const { emit } = stream;
  setOwnMember(stream, 'emit', function (this: unknown, ...args: unknown[]) {
    const [event, value] = args;
    if (event === 'data') watch.item?.(value);
    else if (event === 'error') watch.failed?.(value);
    else if (event === 'end' || event === 'close') watch.ended?.(undefined);
    return Reflect.apply(emit, this, args);
  });
}

/** Whether a value is a web stream that nobody reads yet. */
export const isReadableStream = (value: object): value is ReadableStream<unknown> =>
  typeof ReadableStream === 'function' &&
  Object.getPrototypeOf(value) === ReadableStream.prototype &&
  !(value as ReadableStream).locked;

/** @returns a stream that gives the very same chunks, when they are asked for, and reports them. */
export function watchReadableStream(stream: ReadableStream<unknown>, watch: Watch): ReadableStream<unknown> {
  const isByteStream = readsIntoBuffers(stream);
  const reader = stream.getReader();
  const source = {
    async pull(controller: ReadableStreamDefaultController<unknown>): Promise<void> {
      try {
        const { done, value } = await reader.read();
        if (done) {
          watch.ended?.(undefined);
          controller.close();
          // Who reads into a buffer of its own waits for it to come back.
          (controller as { byobRequest?: { respond(bytes: number): void } | null }).byobRequest?.respond(0);
        } else {
          watch.item?.(value);
          controller.enqueue(value);
        }
      } catch (error) {
        watch.failed?.(error);
        throw error;
      }
    },
    cancel(reason: unknown): Promise<void> {
      watch.ended?.(undefined);
      return reader.cancel(reason);
    },
  };
  const type = isByteStream ? { type: 'bytes' } : {};
  return new ReadableStream({ ...type, ...source } as typeof source, { highWaterMark: 0 });
}

/** Whether it can be read into buffers of the reader's own. */
function readsIntoBuffers(stream: ReadableStream): boolean {
  try {
    stream.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false;
  }
}
