import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { parseExactJson, type CreateSpan, type CreateTrace } from '@spandrel/contract';
import { LOCAL_SCOPE, type Conflict } from '@spandrel/kernel';
import { largeRequestHash, requestHash, createRequestHash } from './request-hash.js';
import type { StoredSpan } from '../span.entity.js';
import type { TraceRow } from '../trace.entity.js';
import { applyJob } from './apply-job.js';
import { UnitOfWork } from './unit-of-work.js';

const of = (text: string): string => requestHash(parseExactJson(text) as Record<string, unknown>);

describe('requestHash', () => {
  it.each([
    ['{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'],
    ['{"a":1,"b":null}', '{"a":1}'],
    ['{"a":1.0}', '{"a":1}'],
  ])('is the same for %s and %s', (a, b) => {
    expect(of(a)).toBe(of(b));
  });

  it.each([
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":{"x":null}}', '{"a":{}}'],
    ['{"a":9007199254740993}', '{"a":9007199254740992}'],
    ['{"a":{"__proto__":1}}', '{"a":{}}'],
    ['{"a":"\\ud800"}', '{"a":"\\ud801"}'],
  ])('differs for %s and %s', (a, b) => {
    expect(of(a)).not.toBe(of(b));
  });
});

describe('the fingerprint of a large request', () => {
  const large = fc.constantFrom<unknown>(
    'x\ud800'.repeat(60_000),
    Array.from({ length: 30_000 }, (_, index) => ({ [`k${index % 7}`]: [index] })),
    Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`k${(index * 7919) % 20_000}`, { b: 1, a: '潮' }]),
    ),
    'small',
  );

  it('is the same, made in pieces', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), large, large, async (value, one, other) => {
        const members = { value, one, deep: [{ other, none: null }, one], nothing: null, left: undefined };
        expect(await largeRequestHash(members)).toBe(requestHash(members));
      }),
      { numRuns: 12 },
    );
  });

  it('sorts names in pieces', async () => {
    const toSorted = jest.spyOn(Array.prototype, 'toSorted');
    const names = Array.from({ length: 50_000 }, (_, index) => `k${(index * 7919) % 50_000}`);
    await largeRequestHash({ metadata: Object.fromEntries(names.map((name) => [name, 0])) });
    const most = Math.max(...toSorted.mock.contexts.map((sorted) => (sorted as unknown[]).length));
    toSorted.mockRestore();
    expect(most).toBeLessThan(10_000);
  });
});

const TRACE: CreateTrace = { id: 't', name: 'a trace' };
const SPAN: CreateSpan = { id: 's', trace_id: 't', name: 'a span', input: { question: 'why' } };

const createTrace = (set: UnitOfWork, body: CreateTrace) =>
  applyJob(set, { type: 'create_trace', scope: LOCAL_SCOPE, now: 1_000, id: 't', body }, new Map());
const createSpan = (set: UnitOfWork, body: CreateSpan) =>
  applyJob(set, { type: 'create_span', scope: LOCAL_SCOPE, now: 1_000, id: 's', body }, new Map());

/** A set in which a trace and a span were created by this version. */
function created(): { set: UnitOfWork; trace: TraceRow; span: StoredSpan } {
  const set = new UnitOfWork(LOCAL_SCOPE, []);
  set.loadTrace('t', null);
  set.loadSpan('s', null);
  createTrace(set, TRACE);
  createSpan(set, SPAN);
  return { set, trace: set.trace('t')!, span: set.span('s')! };
}

describe('createRequestHash', () => {
  it('is kept in twelve letters, of bodies with an id alone', () => {
    expect(createRequestHash({ ...SPAN })).toMatch(/^[\w-]{12}$/);
    expect(createRequestHash({ trace_id: 't', name: 'a span' })).toBeNull();
    const { trace, span } = created();
    expect([trace.createHash, span.createHash]).toEqual([
      createRequestHash({ ...TRACE }),
      createRequestHash({ ...SPAN }),
    ]);
  });

  it('distinguishes a repeated create from another one', () => {
    const hash = createRequestHash({ ...SPAN });
    expect(createRequestHash({ ...SPAN, metadata: null })).toBe(hash);
    expect(createRequestHash({ ...SPAN, name: 'another' })).not.toBe(hash);
  });
});

describe('a create whose id is known', () => {
  it('is answered as the first one was', () => {
    const { set } = created();
    expect(createTrace(set, { name: 'a trace', id: 't' })).toMatchObject({ trace: { id: 't', name: 'a trace' } });
    expect(createSpan(set, SPAN)).toEqual({ type: 'span', span: set.span('s') });
  });

  it('is refused with another body, and where the row was ingested, which keeps no hash', () => {
    const { set, trace, span } = created();
    const conflict = expect.objectContaining({ code: 'id_conflict' } satisfies Partial<Conflict>) as unknown;
    expect(thrown(() => createTrace(set, { ...TRACE, name: 'another' }))).toEqual(conflict);
    expect(thrown(() => createSpan(set, { ...SPAN, input: 'another' }))).toEqual(conflict);
    const ingested = new UnitOfWork(LOCAL_SCOPE, []);
    ingested.loadTrace('t', { ...trace, createHash: null });
    ingested.loadSpan('s', { ...span, createHash: null });
    expect(thrown(() => createSpan(ingested, SPAN))).toEqual(conflict);
  });
});

function thrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
