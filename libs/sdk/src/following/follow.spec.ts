/** Results that have ways of their own to be read: the span ends by whichever is taken, and only then. */
import { describe, expect, it } from '@jest/globals';
import { follow } from './follow.js';

interface Reported {
  ended?: unknown;
  failed?: unknown;
  output?: unknown;
  count: number;
}

/** Follows a result. @returns what is given for it, and what is reported of it in the end. */
function followed<Result>(result: Result): { given: Result; reported: Reported } {
  const reported: Reported = { count: 0 };
  const report = (what: object): void => {
    if (reported.count++ === 0) Object.assign(reported, what);
  };
  const given = follow(result, {
    run: (step) => step(),
    ended: (value) => report({ ended: value }),
    failed: (failure, output) => report({ failed: failure, output }),
    payloadBytes: 10_000,
  });
  return { given, reported };
}

const chunks = ['a', 'b', 'c'];
const error = new Error('cut');

async function readAll<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** A promise as clients of APIs have it: nothing is parsed before somebody asks for it, and `catch` does not stand on `then`. */
class ApiPromise<Value> extends Promise<Value> {
  constructor(readonly parsed: () => Promise<Value>) {
    super((resolve) => resolve(null as Value));
  }
  // oxlint-disable-next-line unicorn/no-thenable -- So they are.
  override then(...handlers: [never, never]): never {
    return this.parsed().then(...handlers) as never;
  }
  override catch(handler: never): never {
    return this.parsed().catch(handler) as never;
  }
  override finally(handler: never): never {
    return this.parsed().finally(handler) as never;
  }
  asResponse(): Promise<string> {
    return Promise.resolve('the response');
  }
  async withResponse(): Promise<object> {
    const [response, data] = await Promise.all([this.asResponse(), this.parsed()]);
    return { data, response };
  }
  async cancel(): Promise<void> {}
  abort(): boolean {
    return true;
  }
  _inside(): Promise<string> {
    return Promise.resolve('the inside');
  }
  _view(): ApiPromise<string> {
    return new ApiPromise(async () => `a view of ${String(await this.parsed())}`);
  }
}

const fulfilled = (): ApiPromise<string> => new ApiPromise(() => Promise.resolve('answer'));
const rejected = (): ApiPromise<string> => new ApiPromise(() => Promise.reject(error));

describe('promises of a subclass', () => {
  it.each<[string, (promise: ApiPromise<string>) => Promise<unknown>]>([
    ['then', (promise) => promise.then(((value: string) => value) as never, undefined as never)],
    ['catch', (promise) => promise.catch((() => 'other') as never)],
    ['finally', (promise) => promise.finally((() => undefined) as never)],
    ['finally and catch', (promise) => (promise.finally((() => undefined) as never) as Promise<string>).catch(() => 'other')], // prettier-ignore
    ['withResponse', (promise) => promise.withResponse()],
    ['allSettled', (promise) => Promise.allSettled([promise])],
  ])('are read by %s', async (_way, read) => {
    const { given, reported } = followed(fulfilled());
    await read(given);
    expect(reported).toEqual({ ended: 'answer', count: 1 });
    const failing = followed(rejected());
    await read(failing.given).catch(() => undefined);
    expect(failing.reported).toMatchObject({ failed: error });
  });

  it('are not read by what gives nothing of the result', async () => {
    const { given, reported } = followed(fulfilled());
    await given.cancel();
    expect([given.abort(), await given._inside(), reported.count]).toEqual([true, 'the inside', 0]);
    expect(await (given._view() as unknown as Promise<string>)).toBe('a view of answer');
    expect(reported.ended).toBe('a view of answer');
  });

  it('may give the response they are read from, which is all that is known then', async () => {
    const { given, reported } = followed(fulfilled());
    await given.asResponse();
    expect(reported).toEqual({ ended: 'the response', count: 1 });
  });

  it('give what they give, and reject nobody who does not ask', async () => {
    const { given } = followed(rejected());
    await expect(given.withResponse()).rejects.toBe(error);
    expect(await given.catch((() => 'other') as never)).toBe('other');
    await expect(given.catch(undefined as never)).rejects.toBe(error);
  });

  it('are the same object, and say what they gave to each call that has them', async () => {
    const promise = fulfilled();
    const [one, two] = [followed(promise), followed(promise)];
    expect([one.given === promise, two.given === promise]).toEqual([true, true]);
    await promise.finally((() => undefined) as never);
    expect([one.reported.ended, two.reported.ended]).toEqual(['answer', 'answer']);
  });

  it('that do not override anything are read by catch and finally', async () => {
    class Plain<Value> extends Promise<Value> {}
    for (const way of ['catch', 'finally'] as const) {
      const { given, reported } = followed(Plain.resolve(1));
      await (given[way] as (handler: () => void) => Promise<unknown>)(() => undefined);
      expect(reported).toEqual({ ended: 1, count: 1 });
    }
  });
});

describe('queries that begin when somebody asks', () => {
  const query = () => {
    let starts = 0;
    const start = async (): Promise<number[]> => {
      starts++;
      return [1];
    };
    // oxlint-disable-next-line unicorn/no-thenable -- Clients of databases have such queries.
    const lazy = { then: (...of: [never]) => start().then(...of), catch: (of: never) => start().catch(of), finally: (of: never) => start().finally(of) }; // prettier-ignore
    return { lazy, starts: () => starts };
  };

  it.each(['then', 'catch', 'finally'] as const)('begin once, by %s', async (way) => {
    const { lazy, starts } = query();
    const { given, reported } = followed(lazy);
    await Promise.resolve();
    expect([given === lazy, starts()]).toEqual([true, 0]);
    await (given[way] as unknown as (handler: () => void) => Promise<unknown>)(() => undefined);
    expect([starts(), reported]).toEqual([1, { ended: [1], count: 1 }]);
  });
});

describe('what can only be iterated', () => {
  const iterable = (fails = false): AsyncIterable<string> => ({
    async *[Symbol.asyncIterator]() {
      yield* chunks;
      if (fails) throw error;
    },
  });

  it('is followed through its first iteration', async () => {
    const made = iterable();
    const { given, reported } = followed(made);
    expect(given).toBe(made);
    expect(reported.count).toBe(0);
    expect(await readAll(given)).toEqual(chunks);
    expect(reported).toEqual({ ended: 'abc', count: 1 });
    expect(await readAll(given)).toEqual(chunks);
    expect(reported.count).toBe(1);
  });

  it('may be left early, or break', async () => {
    const left = followed(iterable());
    for await (const chunk of left.given) if (chunk === 'b') break;
    expect(left.reported).toMatchObject({ ended: 'ab' });
    const broken = followed(iterable(true));
    await expect(readAll(broken.given)).rejects.toBe(error);
    expect(broken.reported).toMatchObject({ failed: error, output: 'abc' });
  });

  it('may have members that are no list, and iterators with nothing but next', async () => {
    class Stream {
      controller = new AbortController();
      [Symbol.asyncIterator]() {
        const left = [...chunks];
        return { next: async () => ({ done: left.length === 0, value: left.shift() }) as IteratorResult<string> };
      }
    }
    const { given, reported } = followed(new Stream());
    await readAll(given);
    expect(reported).toMatchObject({ ended: 'abc' });
  });

  it('ends at once where it cannot be followed', () => {
    const frozen = Object.freeze(iterable());
    expect(followed(frozen).reported).toEqual({ ended: frozen, count: 1 });
  });

  it('may be awaited, too', async () => {
    const runner = () => ({
      ...iterable(),
      // oxlint-disable-next-line unicorn/no-thenable -- Runners of tools are so.
      then: (done: (value: string) => unknown) => Promise.resolve('last').then(done),
    });
    const [iterated, awaited] = [followed(runner()), followed(runner())];
    await readAll(iterated.given);
    expect(iterated.reported).toMatchObject({ ended: 'abc' });
    expect([await awaited.given, awaited.reported.ended]).toEqual(['last', 'last']);
  });

  it('is followed within a plain object, whose other members are kept', async () => {
    const holder = { stream: iterable(), $metadata: { requestId: 'r-1' } };
    const { given, reported } = followed(holder);
    expect(given).toBe(holder);
    await readAll(given.stream);
    expect(reported).toMatchObject({ ended: { stream: 'abc', $metadata: { requestId: 'r-1' } } });
  });
});

describe('web streams of a subclass', () => {
  class ModelStream extends ReadableStream<string> {}
  const source = (fails = false) => {
    const left = [...chunks];
    return {
      pull(controller: ReadableStreamDefaultController<string>) {
        const chunk = left.shift();
        if (chunk !== undefined) controller.enqueue(chunk);
        else if (fails) controller.error(error);
        else controller.close();
      },
    };
  };

  const byReader = async (stream: ReadableStream<string>): Promise<string[]> => {
    const reader = stream.getReader();
    const read: string[] = [];
    for (let step = await reader.read(); !step.done; step = await reader.read()) read.push(step.value);
    return read;
  };

  it.each<[string, (stream: ReadableStream<string>) => Promise<unknown>]>([
    ['iteration', readAll],
    ['values', (stream) => readAll(stream.values())],
    ['a reader', byReader],
    ['a pipe', (stream) => readAll(stream.pipeThrough(new TransformStream<string, string>()))],
    ['a sink', (stream) => stream.pipeTo(new WritableStream())],
    ['one of two parts', (stream) => readAll(stream.tee()[1])],
    ['a response', (stream) => new Response(stream.pipeThrough(new TextEncoderStream())).text()],
  ])('stay what they are, and are read by %s', async (_way, read) => {
    const made = new ModelStream(source());
    const { given, reported } = followed(made);
    expect([given === made, given.locked]).toEqual([true, false]);
    await read(given);
    expect(reported).toEqual({ ended: 'abc', count: 1 });
  });

  it('may be left early, cancelled, or break', async () => {
    const left = followed(new ModelStream(source()));
    for await (const _ of left.given) break;
    expect(left.reported).toMatchObject({ ended: 'a' });
    const cancelled = followed(new ModelStream(source()));
    await cancelled.given.cancel();
    expect(cancelled.reported.count).toBe(1);
    const broken = followed(new ModelStream(source(true)));
    await expect(readAll(broken.given)).rejects.toBe(error);
    expect(broken.reported).toMatchObject({ failed: error, output: 'abc' });
  });

  it('that are their own iterator are followed once', async () => {
    class Iterated extends (ReadableStream as new (from: object) => {
      getReader(): ReadableStreamDefaultReader<string>;
    }) {
      #reader: ReadableStreamDefaultReader<string> | undefined;
      async next(): Promise<IteratorResult<string>> {
        return (await (this.#reader ??= this.getReader()).read()) as IteratorResult<string>;
      }
      async return(): Promise<IteratorResult<string>> {
        await this.#reader?.cancel();
        return { done: true, value: undefined };
      }
      [Symbol.asyncIterator]() {
        return this;
      }
    }
    const { given, reported } = followed(new Iterated(source()));
    expect(await readAll(given as AsyncIterable<string>)).toEqual(chunks);
    expect(reported).toEqual({ ended: 'abc', count: 1 });
    const left = followed(new Iterated(source()));
    for await (const _ of left.given as AsyncIterable<string>) break;
    expect(left.reported.ended).toBe('a');
  });
});

describe('streams of the language', () => {
  it('that break have what came before', async () => {
    const { given, reported } = followed(
      (async function* () {
        yield* chunks;
        throw error;
      })(),
    );
    await expect(readAll(given)).rejects.toBe(error);
    expect(reported).toMatchObject({ failed: error, output: 'abc' });
  });
});
