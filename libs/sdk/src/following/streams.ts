import { watchIterator, watchStep } from './iterators.js';
import { hasMethod, setOwnMember, type AnyFunction, type Watch, type WatchReader } from './watch.js';

interface NodeStream {
  emit: AnyFunction;
  pipe: AnyFunction;
}

/** Whether a value is a stream of Node from which something may still come. */
export const isNodeStream = (value: object): value is NodeStream =>
  ['emit', 'pipe', 'read'].every((name) => hasMethod(value, name)) &&
  (value as { readable?: unknown }).readable === true;

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

/** Whether a value is a web stream that nobody reads yet, of the platform's class or one that is written like it. */
export const isReadableStream = (value: object): value is ReadableStream<unknown> =>
  hasMethod(value, 'getReader') && (value as { locked?: unknown }).locked === false;

const isOfPlatform = (stream: object): boolean =>
  typeof ReadableStream === 'function' && Object.getPrototypeOf(stream) === ReadableStream.prototype;

/**
 * Says what a web stream gives.
 * @returns another that gives the very same chunks, when they are asked for; one of a subclass stays the same object.
 */
export function watchReadableStream(
  stream: ReadableStream<unknown>,
  watchReader: WatchReader,
): ReadableStream<unknown> {
  if (isOfPlatform(stream)) return copyStream(stream, watchReader());
  watchInPlace(stream, watchReader);
  return stream;
}

function copyStream(stream: ReadableStream<unknown>, watch: Watch): ReadableStream<unknown> {
  const isByteStream = readsIntoBuffers(stream);
  const reader = stream.getReader();
  const source = {
    async pull(controller: ReadableStreamDefaultController<unknown>): Promise<void> {
      try {
        const { done, value } = await watch.run(() => reader.read());
        if (done) {
          await watch.ended?.(undefined);
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
      watch.stopped?.(undefined);
      return reader.cancel(reason);
    },
  };
  const type = isByteStream ? { type: 'bytes' } : {};
  return new ReadableStream({ ...type, ...source } as typeof source, { highWaterMark: 0 });
}

function readsIntoBuffers(stream: ReadableStream): boolean {
  try {
    stream.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false;
  }
}

type Methods = Record<PropertyKey, AnyFunction>;

/** Puts methods in front of those by which it is read. The first way that is taken is followed: others stand below it. */
function watchInPlace(stream: ReadableStream<unknown>, watchReader: WatchReader): void {
  const watch = watchReader();
  let way: string | undefined;
  const takes = (name: string): boolean => (way ??= name) === name;
  const replace = (name: PropertyKey, make: (method: AnyFunction) => AnyFunction): void => {
    if (hasMethod(stream, name)) setOwnMember(stream, name, make((stream as unknown as Methods)[name]!));
  };
  if (hasMethod(stream, 'next')) {
    const run: Watch['run'] = (step) => (takes('iteration') ? watch.run(step) : step());
    watchIterator(stream as never, { ...watch, run }, true);
  }
  for (const name of ['values', Symbol.asyncIterator]) {
    replace(name, (iterate) => function (...args) {
      const isTaken = takes('iteration');
      const iterator = Reflect.apply(iterate, this, args);
      if (isTaken && iterator !== stream) watchIterator(iterator as never, watch, true);
      return iterator;
    }); // prettier-ignore
  }
  replace('getReader', (getReader) => function (...args) {
    const isTaken = takes('reader');
    const reader = Reflect.apply(getReader, this, args) as object;
    if (isTaken) watchReaderOf(reader, watch);
    return reader;
  }); // prettier-ignore
  replace('tee', (tee) => function (...args) {
    if (!takes('tee')) return Reflect.apply(tee, this, args);
    const parts = Reflect.apply(tee, this, args) as ReadableStream<unknown>[];
    return parts.map((part) => watchReadableStream(part, watchReader));
  }); // prettier-ignore
  for (const name of ['pipeTo', 'pipeThrough']) {
    replace(name, (pipe) => function (...args) {
      return Reflect.apply(pipe, takes('pipe') ? copyStream(stream, watch) : this, args);
    }); // prettier-ignore
  }
  replace('cancel', (cancel) => function (...args) {
    watch.stopped?.(undefined);
    return Reflect.apply(cancel, this, args);
  }); // prettier-ignore
}

function watchReaderOf(reader: object, watch: Watch): void {
  const { read, cancel } = reader as Methods;
  // An end gives back the buffer of the reader.
  const readWatch = { ...watch, ended: () => watch.ended?.(undefined) };
  setOwnMember(reader, 'read', function (this: unknown, ...args: unknown[]) {
    return watchStep(() => Reflect.apply(read!, this, args), readWatch);
  });
  setOwnMember(reader, 'cancel', function (this: unknown, ...args: unknown[]) {
    watch.stopped?.(undefined);
    return Reflect.apply(cancel!, this, args);
  });
}
