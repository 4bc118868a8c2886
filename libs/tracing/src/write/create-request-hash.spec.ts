import { describe, expect, it } from '@jest/globals';
import type { CreateSpan, CreateTrace } from '@spandrel/contract';
import { LOCAL_SCOPE, type Conflict } from '@spandrel/kernel';
import type { StoredSpan } from '../span.entity.js';
import type { TraceRow } from '../trace.entity.js';
import { applyJob } from './apply-job.js';
import { createRequestHash } from './request-hash.js';
import { UnitOfWork } from './unit-of-work.js';

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

  it('tells a repeated create from another one', () => {
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
