import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { cutJson, serialise } from './json-writer.js';
import { PlainReader } from './plain-reader.js';

const MIB = 1_048_576;
const parsed = (value: unknown, bytesMax = MIB): unknown => JSON.parse(serialise(value, bytesMax).json!);

describe('values that JSON has', () => {
  it('are written as JSON writes them', () =>
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(serialise(value, MIB)).toEqual({ json: JSON.stringify(value), isTruncated: false });
      }),
    ));

  it.each([
    ['what is undefined within an object', { a: undefined, b: [undefined] }],
    ['dates, addresses and what says itself what it is', [new Date(0), new Date(NaN), new URL('http://a.b/c')]],
    ['toJSON by the name of the member', { a: { toJSON: (key: string) => `at ${key}` } }],
    ['what gives itself as JSON', new (class Self { a = 1; toJSON(): object { return this; } })()], // prettier-ignore
    ['instances of a class', new (class Point { x = 1; y = 2; })()], // prettier-ignore
    ['boxed values', [Object('text'), Object(1), Object(false)]],
    ['names that mean something to the language', JSON.parse('{"__proto__":1,"constructor":null}')],
    ['what has no prototype', Object.assign(Object.create(null), { a: 1 })],
    ['halves of pairs', ['\ud800', 'a\udfffb', { '\ud83d': '\u0000' }]],
  ])('%s', (_name, value) => {
    expect(serialise(value, MIB)).toEqual({ json: JSON.stringify(value), isTruncated: false });
  });

  it('names that no object may be given by writing to it', () => {
    const { prototype } = Object;
    Reflect.defineProperty(prototype, 'frozen', { value: 1, configurable: true });
    try {
      expect(serialise({ a: 1, frozen: 2 }, MIB).json).toBe('{"a":1,"frozen":2}');
    } finally {
      Reflect.deleteProperty(prototype, 'frozen');
    }
  });

  it('nothing is made of undefined', () => expect(serialise(undefined, MIB).json).toBeUndefined());
});

describe('values that JSON has not', () => {
  class Connection {
    #open = true;
    isOpen = (): boolean => this.#open;
    emit(): void {}
    on(): void {}
  }

  it.each<[string, unknown, unknown]>([
    ['a large integer', 12345678901234567890n, '12345678901234567890n'],
    ['no number', [NaN, Infinity, -Infinity], ['[NaN]', '[Infinity]', '[-Infinity]']],
    [
      'a function',
      { execute: function run() {}, x: [() => 1] },
      { execute: '[function run]', x: ['[function without a name]'] },
    ],
    ['a symbol', [Symbol('s')], ['[Symbol(s)]']],
    ['a map', [new Map([['a', 1]]), new Map([[1, 2]])], [{ a: 1 }, [[1, 2]]]],
    ['a set', new Set([1, 'b']), [1, 'b']],
    ['an expression', /a+/g, '/a+/g'],
    ['bytes', [Buffer.from('abc'), new ArrayBuffer(2)], ['[Buffer of 3 bytes]', '[ArrayBuffer of 2 bytes]']],
    ['an embedding', new Float32Array([0.5, 1]), [0.5, 1]],
    ['a promise', [Promise.resolve(1)], ['[Promise]']],
    ['a connection', { db: new Connection() }, { db: '[Connection]' }],
    ['a signal', { signal: new AbortController().signal }, { signal: '[AbortSignal]' }],
  ])('become what describes them: %s', (_name, value, expected) => expect(parsed(value)).toEqual(expected));

  it('an error has its message and not what a client hangs on it', () => {
    const error = Object.assign(new TypeError('no', { cause: new Error('why') }), {
      code: 'E_NO',
      config: { headers: { authorization: 'Bearer secret' } },
      toJSON: () => ({ secret: 'secret' }),
    });
    const json = parsed({ error }) as { error: Record<string, unknown> };
    expect(json.error).toMatchObject({ name: 'TypeError', message: 'no', code: 'E_NO', cause: { message: 'why' } });
    expect(json.error['stack']).toContain('TypeError: no');
    expect(JSON.stringify(json)).not.toContain('secret');
  });

  it('circles end where they begin, and what is there twice is written twice', () => {
    const shared = { n: 1 };
    const circle: Record<string, unknown> = { shared, again: shared, list: [] };
    circle['self'] = circle;
    (circle['list'] as unknown[]).push(circle['list'], new Map([['up', circle]]));
    expect(parsed(circle)).toEqual({
      shared,
      again: shared,
      self: '[circular]',
      list: ['[circular]', { up: '[circular]' }],
    });
  });

  it('circles through toJSON end too', () => {
    const one = { toJSON: (): unknown => ({ inner: one }) };
    expect(parsed(one)).toEqual({ inner: '[circular]' });
  });

  it('what throws when it is read says so, and all beside it is there', () => {
    const thrower = (): never => {
      throw new RangeError('secret');
    };
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const value = {
      getter: Object.defineProperty({ a: 1 }, 'b', { get: thrower, enumerable: true }),
      toJSON: [{ toJSON: thrower }, { toJSON: () => { throw null; } }], // prettier-ignore
      proxies: [new Proxy({}, { ownKeys: thrower }), new Proxy([1], { get: thrower }), revoked.proxy],
      name: new Proxy(() => 1, { get: thrower }),
      last: 1,
    };
    expect(parsed(value)).toEqual({
      getter: { a: 1, b: '[threw RangeError]' },
      toJSON: ['[threw RangeError]', '[threw]'],
      proxies: ['[threw RangeError]', '[threw RangeError]', '[threw TypeError]'],
      name: '[threw RangeError]',
      last: 1,
    });
  });

  it('endless depth ends', () => {
    const endless = (): object => new Proxy({}, { ownKeys: () => ['in'], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }), get: (_, key) => (key === 'in' ? endless() : undefined) }); // prettier-ignore
    const { json, isTruncated } = serialise(endless(), MIB);
    expect(isTruncated).toBe(true);
    expect(json!.match(/\{/g)).toHaveLength(128);
    expect(() => JSON.parse(json!)).not.toThrow();
  });
});

describe('the limit', () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withSparseArray: true,
    withNullPrototype: true,
    withUnicodeString: true,
    withObjectString: true,
    withBoxedValues: true,
    maxDepth: 6,
    stringUnit: 'binary',
  } as never);

  it('holds for any value, and what is written is JSON without a half of a pair', () =>
    fc.assert(
      fc.property(anything, fc.integer({ min: 64, max: 400 }), (value, bytesMax) => {
        const { json, isTruncated } = serialise(value, bytesMax);
        if (value === undefined) return expect(json).toBeUndefined();
        expect(Buffer.byteLength(json!)).toBeLessThanOrEqual(bytesMax);
        const whole = serialise(value, MIB).json!;
        expect(isTruncated).toBe(json !== whole);
        if (isTruncated) expect(Buffer.byteLength(whole) + 34).toBeGreaterThan(bytesMax);
        expect(() => JSON.parse(json!)).not.toThrow();
      }),
    ));

  it('far from it the language writes what is written here near it', () =>
    fc.assert(
      fc.property(anything, (value) => {
        const reader = new PlainReader(MIB, true);
        const { json, isTruncated } = cutJson(reader.read(value, ''), MIB);
        fc.pre(value !== undefined);
        expect(serialise(value, MIB)).toEqual({ json, isTruncated: isTruncated || reader.isTruncated });
      }),
    ));

  it('what follows it and is undefined is not missed: nothing is said to be left out', () => {
    const value = { text: 'x'.repeat(80), next: undefined, last: undefined };
    expect(serialise(value, 100)).toEqual({ json: JSON.stringify(value), isTruncated: false });
    expect(serialise({ ...value, last: 1 }, 100)).toEqual({ json: JSON.stringify(value), isTruncated: true });
  });

  it.each([
    ['letters', 'x'],
    ['three bytes each', '€'],
    ['pairs', '😀'],
    ['escapes', '\u0001'],
  ])('a long text uses it nearly up: %s', (_name, unit) => {
    const { json, isTruncated } = serialise({ a: unit.repeat(100_000), b: 1 }, 50_000);
    expect(isTruncated).toBe(true);
    expect(Buffer.byteLength(json!)).toBeLessThanOrEqual(50_000);
    expect(Buffer.byteLength(json!)).toBeGreaterThan(49_900);
    expect((JSON.parse(json!) as { a: string }).a.isWellFormed()).toBe(true);
  });

  it('is not used up before its time by letters of one byte', () => {
    const value = Array.from({ length: 9_000 }, () => 'x'.repeat(97));
    expect(serialise(value, 900_001)).toEqual({ json: JSON.stringify(value), isTruncated: false });
  });

  it('ends the reading: a list without an end is not read to it', () => {
    let reads = 0;
    const long = new Proxy([], { get: (_, key) => (key === 'length' ? 2 ** 32 - 1 : (reads++, 1)) });
    expect(serialise({ long }, 10_000).isTruncated).toBe(true);
    expect(reads).toBeLessThan(10_000);
  });

  it('what grows with each level that shares it is cut', () => {
    let wide: unknown = 'x';
    for (let level = 0; level < 60; level++) wide = [wide, wide];
    const { json } = serialise(wide, 10_000);
    expect(json!.length).toBeLessThanOrEqual(10_000);
  });

  it('objects have no more members than the server takes', () => {
    const { json, isTruncated } = serialise(
      Object.fromEntries(Array.from({ length: 100_001 }, (_, n) => [`k${n}`, 0])),
      4 * MIB,
    );
    expect(isTruncated).toBe(true);
    expect(Object.keys(JSON.parse(json!) as object)).toHaveLength(100_000);
  });
});
