import { Readable, Writable } from 'node:stream';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { FakeIngest } from '../../../../test/sdk/support/fake-ingest.js';
import { Spandrel } from '../spandrel.js';

function lab() {
  const server = new FakeIngest();
  const spandrel = new Spandrel({ fetch: server.fetch, payloadBytes: 10_000 });
  /** The span that arrived last, as it is. */
  const span = async (): Promise<Record<string, unknown>> => {
    await spandrel.flush();
    return [...server.spans.values()].at(-1)!;
  };
  return { spandrel, span, observe: spandrel.observe.bind(spandrel), server };
}

describe('an observed function', () => {
  it('gets its this and its arguments, and gives what it gives', async () => {
    const { observe, span } = lab();
    const result = { a: 1 };
    const seen: unknown[] = [];
    const object = {
      say: observe(function say(this: unknown, ...args: unknown[]) {
        seen.push(this, ...args);
        return result;
      }),
    };
    const argument = { b: 2 };
    expect(object.say(argument, 3)).toBe(result);
    expect([seen[0] === object, seen[1] === argument, seen[2]]).toEqual([true, true, 3]);
    expect(await span()).toMatchObject({ name: 'say', input: [{ b: 2 }, 3], output: { a: 1 }, status: 'completed' });
  });

  it('keeps its name, its length and what hangs on it', () => {
    const original = Object.assign(function original(_a: number, _b: number): void {}, { version: 2 });
    const observed = lab().observe(original);
    expect([observed.name, observed.length, observed.version]).toEqual(['original', 2, 2]);
    expect(() => lab().observe(7 as never)).toThrow('observe takes a function');
  });

  it('is recorded without input and output where they are not wanted', async () => {
    const { observe, span } = lab();
    observe((secret: string) => secret, { input: false, output: false, kind: { type: 'tool_call', tool: 't' } })('x');
    const sent = await span();
    expect([sent['input'], sent['output'], sent['kind']]).toEqual([
      undefined,
      undefined,
      { type: 'tool_call', tool: 't' },
    ]);
  });

  it('has the spans that it makes below it, also after an await', async () => {
    const { spandrel, observe, server } = lab();
    const inner = observe(() => 1, { name: 'inner' });
    await observe(
      async () => {
        await Promise.resolve();
        return inner();
      },
      { name: 'outer' },
    )();
    await spandrel.flush();
    const [first, second] = [...server.spans.values()];
    const [outer, child] = first!['name'] === 'outer' ? [first, second] : [second, first];
    expect(child!['parent_id']).toBe(outer!['id']);
  });

  it.each([new Error('e'), 'text', undefined, null, 0])('throws what it throws: %p', (thrown) => {
    const { observe } = lab();
    const failing = observe(() => {
      throw thrown;
    });
    let caught: unknown = 'nothing';
    try {
      failing();
    } catch (error) {
      caught = error;
    }
    expect(caught).toBe(thrown);
  });
});

describe('promises', () => {
  it('end as they do', async () => {
    const { observe, span } = lab();
    expect(await observe(async () => 'done')()).toBe('done');
    expect(await span()).toMatchObject({ output: 'done' });
    const error = new Error('e');
    await expect(observe(() => Promise.reject(error))()).rejects.toBe(error);
    expect(await span()).toMatchObject({ status: 'failed', error: 'e' });
  });

  it('that carry what Node 20 hangs on them for its AsyncLocalStorage are followed', async () => {
    const { observe, span } = lab();
    expect(await observe(() => Object.assign(Promise.resolve(5), { [Symbol('async_id_symbol')]: 7 }))()).toBe(5);
    expect(await span()).toMatchObject({ output: 5, status: 'completed' });
  });

  it('of a subclass stay the same object, and are followed once somebody waits', async () => {
    class ApiPromise<T> extends Promise<T> {
      extra = 1;
    }
    const { observe, span } = lab();
    const promise = new ApiPromise<number>((resolve) => resolve(5));
    const observed = observe(() => promise)();
    expect(observed).toBe(promise);
    expect(Object.keys(observed)).toEqual(['extra']);
    expect([await observed, await observed.then((value) => value + 1)]).toEqual([5, 6]);
    expect(await span()).toMatchObject({ output: 5, status: 'completed' });
  });

  it('of a subclass may be rejected, and given by many calls', async () => {
    class ApiPromise<T> extends Promise<T> {}
    const { spandrel, observe, server } = lab();
    const error = new Error('e');
    const cached = ApiPromise.reject(error);
    const get = observe(() => cached);
    for (let call = 0; call < 3; call++) expect(get()).toBe(cached);
    await expect(cached.finally(() => undefined)).rejects.toBe(error);
    for (let call = 0; call < 5_000; call++) void get();
    await expect(get()).rejects.toBe(error);
    await spandrel.flush();
    const failed = [...server.spans.values()].filter(({ status }) => status === 'failed');
    expect(failed).toHaveLength(5_004);
  });

  it('that begin when somebody waits begin then, and once', async () => {
    const { observe, span } = lab();
    let starts = 0;
    // oxlint-disable-next-line unicorn/no-thenable -- Clients of databases have such queries.
    const query = { text: 'select', then(done: (rows: number[]) => unknown) { starts++; return Promise.resolve([1]).then(done); } }; // prettier-ignore
    const observed = observe(() => query as unknown as Promise<number[]>)();
    await Promise.resolve();
    expect([observed === (query as unknown), starts]).toEqual([true, 0]);
    expect([await observed, starts]).toEqual([[1], 1]);
    expect(await span()).toMatchObject({ output: [1] });
  });

  it('with members of somebody stay the same object', async () => {
    const { observe, span } = lab();
    const promise = Object.assign(Promise.resolve(4), { cancel: () => undefined });
    expect(observe(() => promise)()).toBe(promise);
    await promise;
    expect(await span()).toMatchObject({ output: 4, status: 'completed' });
  });

  it('that cannot be followed end at once', async () => {
    const { observe, span } = lab();
    // oxlint-disable-next-line unicorn/no-thenable -- Somebody may give one.
    const frozen = Object.freeze({ then: (done: (value: number) => void) => done(1) });
    expect(await (observe(() => frozen)() as unknown as Promise<number>)).toBe(1);
    expect(await span()).toMatchObject({ status: 'completed' });
  });

  it('of another realm are followed', async () => {
    const { observe, span } = lab();
    expect(await observe(() => runInNewContext('Promise.resolve(3)') as Promise<number>)()).toBe(3);
    expect(await span()).toMatchObject({ output: 3 });
  });
});

/** What an iterator gives step by step, with what it throws in the end. */
async function read(make: () => AsyncGenerator<unknown, unknown> | Generator<unknown, unknown>, stopAfter: number) {
  const items: unknown[] = [];
  const iterator = make();
  try {
    for (let step = 0; step < stopAfter; step++) {
      const { done, value } = await iterator.next(step);
      items.push([done, value]);
      if (done) return items;
    }
    items.push(await iterator.return?.('stopped'));
  } catch (error) {
    items.push(['threw', error]);
  }
  return items;
}

describe('generators', () => {
  const script = fc.record({
    items: fc.array(fc.oneof(fc.string(), fc.jsonValue(), fc.constant(undefined)), { maxLength: 8 }),
    end: fc.constantFrom('return', 'value', 'throw'),
    isAsync: fc.boolean(),
    stopAfter: fc.integer({ min: 0, max: 12 }),
  });
  const error = new Error('torn');

  it('give item by item what they give, and take what they are given', async () => {
    const { observe, span } = lab();
    await fc.assert(
      fc.asyncProperty(script, async ({ items, end, isAsync, stopAfter }) => {
        const sent: unknown[][] = [[], []];
        const makes = [0, 1].map((which) => {
          function* steps(): Generator<unknown, unknown> {
            for (const item of items) sent[which]!.push(yield item);
            if (end === 'throw') throw error;
            return end === 'value' ? 'last' : undefined;
          }
          async function* asyncSteps(): AsyncGenerator<unknown, unknown> {
            return yield* steps();
          }
          return isAsync ? asyncSteps : steps;
        });
        const plain = await read(makes[0]!, stopAfter);
        expect(await read(observe(makes[1]!, { name: 'steps' }), stopAfter)).toEqual(plain);
        expect(sent[1]).toEqual(sent[0]);
        const threw = (plain.at(-1) as unknown[] | undefined)?.[0] === 'threw';
        expect((await span())['status']).toBe(threw ? 'failed' : 'completed');
      }),
      { numRuns: 60 },
    );
  });

  it('are the same object, with their texts as one text', async () => {
    const { observe, span } = lab();
    async function* words() {
      yield 'Par';
      yield 'is';
    }
    const made = words();
    const observed = observe(() => made, { name: 'words' })();
    expect(observed).toBe(made);
    const items: string[] = [];
    for await (const item of observed) items.push(item);
    expect(items).toEqual(['Par', 'is']);
    expect(await span()).toMatchObject({ output: 'Paris', status: 'completed' });
  });

  it('that are stopped early have ended', async () => {
    const { observe, span } = lab();
    let isClosed = false;
    const numbers = observe(function* () {
      try {
        for (let n = 0; ; n++) yield n;
      } finally {
        isClosed = true;
      }
    });
    for (const n of numbers()) if (n === 2) break;
    expect(isClosed).toBe(true);
    expect(await span()).toMatchObject({ output: [0, 1, 2], status: 'completed' });
  });

  it('without a way to stop them have ended too', async () => {
    const { observe, span } = lab();
    let n = 0;
    const counter = { next: () => ({ done: false, value: n++ }), [Symbol.iterator]: () => counter };
    for (const value of observe(() => counter)()) if (value === 1) break;
    expect(await span()).toMatchObject({ output: [0, 1], status: 'completed' });
  });

  it('have the spans of their steps below them', async () => {
    const { spandrel, observe, server } = lab();
    const steps = observe(async function* steps() {
      spandrel.startSpan('step').end();
      yield 1;
      expect(spandrel.currentSpan).toBeDefined();
    });
    for await (const _ of steps()) expect(spandrel.currentSpan).toBeUndefined();
    await spandrel.trace('t', async () => (await Promise.resolve(steps())).next());
    await spandrel.flush();
    const spans = [...server.spans.values()];
    const parent = spans.find(({ name }) => name === 'steps');
    expect(spans.find(({ name }) => name === 'step')).toMatchObject({ parent_id: parent!['id'] });
  });

  it('have the trace open that they were made in', () => {
    const { spandrel } = lab();
    const made = spandrel.trace('t', function* (trace) {
      expect(spandrel.currentTrace).toBe(trace);
      yield trace.id;
      expect(spandrel.currentTrace).toBe(trace);
    });
    expect([...made]).toHaveLength(1);
    expect(spandrel.currentTrace).toBeUndefined();
  });

  it('that give more than is kept are kept in part', async () => {
    const { observe, span } = lab();
    const endless = observe(function* () {
      for (let n = 0; n < 100_000; n++) yield { n };
    });
    let count = 0;
    for (const { n } of endless()) count += n >= 0 ? 1 : 0;
    const sent = await span();
    expect(count).toBe(100_000);
    expect(sent['metadata']).toEqual({ truncated: true });
    expect((sent['output'] as unknown[]).slice(0, 2)).toEqual([{ n: 0 }, { n: 1 }]);
  });

  it('may return a value after their items', async () => {
    const { observe, span } = lab();
    const usage = { tokens: 3 };
    function* talk() {
      yield 'a';
      return usage;
    }
    const made = observe(talk)();
    made.next();
    expect(made.next().value).toBe(usage);
    expect(await span()).toMatchObject({ output: { items: 'a', returned: { tokens: 3 } } });
  });
});

describe('streams', () => {
  const chunks = ['a', 'b', 'c'];
  const stream = (type?: 'bytes'): ReadableStream =>
    new ReadableStream({
      type: type as 'bytes',
      start(controller) {
        for (const chunk of chunks) controller.enqueue((type ? new TextEncoder().encode(chunk) : chunk) as never);
        controller.close();
      },
    });

  it('of the web give chunk by chunk what they give', async () => {
    const { observe, span } = lab();
    const read: unknown[] = [];
    for await (const chunk of await observe(async () => stream())()) read.push(chunk);
    expect(read).toEqual(chunks);
    expect(await span()).toMatchObject({ output: 'abc', status: 'completed' });
  });

  it('of the web that a promise of a subclass gives can be read by anyone who waits', async () => {
    class ApiPromise<T> extends Promise<T> {}
    const { observe, span } = lab();
    const promise = ApiPromise.resolve(stream());
    const observed = observe(() => promise)();
    await observed;
    expect((await observed).locked).toBe(false);
    expect(await span()).toMatchObject({ output: '[ReadableStream]', status: 'completed' });
  });

  it('of bytes are read into buffers of the reader', async () => {
    const { observe, span } = lab();
    const reader = observe(() => stream('bytes'))().getReader({ mode: 'byob' });
    const texts: string[] = [];
    for (;;) {
      const { done, value } = await reader.read(new Uint8Array(8));
      if (done) break;
      texts.push(Buffer.from(value).toString());
    }
    expect(texts.join('')).toBe('abc');
    expect(await span()).toMatchObject({ status: 'completed' });
  });

  it('that fail fail with the same error, and may be cancelled', async () => {
    const { observe, span } = lab();
    const error = new Error('cut');
    const failing = observe(() => new ReadableStream({ pull: (controller) => controller.error(error) }))();
    await expect(failing.getReader().read()).rejects.toBe(error);
    expect(await span()).toMatchObject({ status: 'failed', error: 'cut' });
    let reason: unknown;
    const endless = observe(
      () => new ReadableStream({ pull: (c) => c.enqueue('x'), cancel: (why) => void (reason = why) }),
    )();
    for await (const _ of endless) break;
    await endless.cancel('enough').catch(() => undefined);
    expect(await span()).toMatchObject({ output: 'x', status: 'completed' });
    expect(reason).toBeUndefined();
  });

  it('of Node stay the same object, and nothing flows before somebody reads', async () => {
    const { observe, span } = lab();
    const source = Readable.from(chunks);
    const observed = observe(() => source)();
    expect([observed === source, observed.readableFlowing, observed.listenerCount('error')]).toEqual([true, null, 0]);
    const read: unknown[] = [];
    for await (const chunk of observed) read.push(chunk);
    expect(read).toEqual(chunks);
    expect(await span()).toMatchObject({ output: 'abc', status: 'completed' });
  });

  it('from which nothing can be read any more, or that somebody reads already, are values', async () => {
    const { spandrel, observe, server } = lab();
    const locked = stream();
    locked.getReader();
    const values = [new Writable(), Readable.from([]).destroy(), locked];
    for (const value of values) expect(observe(() => value)()).toBe(value);
    await spandrel.flush();
    expect([...server.spans.values()].map(({ output }) => output)).toEqual([
      '[Writable]',
      '[Readable]',
      '[ReadableStream]',
    ]);
  });

  it('of a model’s client are followed through their first reading', async () => {
    class ModelStream {
      tee(): void {}
      async *[Symbol.asyncIterator]() {
        yield* chunks;
      }
    }
    const { observe, span } = lab();
    const made = new ModelStream();
    const observed = await observe(async () => made)();
    expect(observed).toBe(made);
    for await (const _ of observed) if (_ === 'b') break;
    expect(await span()).toMatchObject({ output: 'ab', status: 'completed' });
    for await (const _ of observed) expect(chunks).toContain(_);
  });
});

it('other things that can be iterated are values', async () => {
  const { observe, span } = lab();
  class Page {
    data = [1, 2];
    async *[Symbol.asyncIterator]() {
      yield* this.data;
    }
  }
  await observe(async () => new Page())();
  expect(await span()).toMatchObject({ output: { data: [1, 2] }, status: 'completed' });
});
