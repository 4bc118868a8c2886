import { describe, expect, it } from '@jest/globals';
import type { CreateSpan, CreateTrace } from '@spandrel/contract';
import { LOCAL_SCOPE, type Conflict } from '@spandrel/kernel';
import type { StoredSpan } from '../span.entity.js';
import type { TraceRow } from '../trace.entity.js';
import { applyJob } from './apply-job.js';
import { createHash, isRepeated } from './create-hash.js';
import { requestHash } from './request-hash.js';
import { WorkingSet } from './working-set.js';

const TRACE: CreateTrace = { id: 't', name: 'a trace' };
const SPAN: CreateSpan = { id: 's', trace_id: 't', name: 'a span', input: { question: 'why' } };

const createTrace = (set: WorkingSet, body: CreateTrace) =>
  applyJob(set, { type: 'create_trace', scope: LOCAL_SCOPE, now: 1_000, id: 't', body }, new Map());
const createSpan = (set: WorkingSet, body: CreateSpan) =>
  applyJob(set, { type: 'create_span', scope: LOCAL_SCOPE, now: 1_000, id: 's', body }, new Map());

/** A set in which a trace and a span were created by this version. */
function created(): { set: WorkingSet; trace: TraceRow; span: StoredSpan } {
  const set = new WorkingSet(LOCAL_SCOPE, []);
  set.loadTrace('t', null);
  set.loadSpan('s', null);
  createTrace(set, TRACE);
  createSpan(set, SPAN);
  return { set, trace: set.trace('t')!, span: set.span('s')! };
}

describe('createHash', () => {
  it('is kept in twelve letters, of bodies with an id alone', () => {
    expect(createHash({ ...SPAN })).toMatch(/^[\w-]{12}$/);
    expect(createHash({ trace_id: 't', name: 'a span' })).toBeNull();
    const { trace, span } = created();
    expect([trace.createHash, span.createHash]).toEqual([createHash({ ...TRACE }), createHash({ ...SPAN })]);
  });

  it('tells a repeated create from another one', () => {
    const hash = createHash({ ...SPAN });
    expect(isRepeated(hash, createHash({ ...SPAN, metadata: null }))).toBe(true);
    expect(isRepeated(hash, createHash({ ...SPAN, name: 'another' }))).toBe(false);
    // Ingested rows keep nothing, so that a create with their id is no repeat.
    expect(isRepeated(null, hash)).toBe(false);
  });
});

describe('a create whose id is known', () => {
  /** A set as this version finds it where an earlier one, which kept 22 letters, or this one wrote the rows. */
  const found = { 'of earlier versions': 22, 'of this version': 12 };
  const setOf = (letters: number): WorkingSet => {
    const { trace, span } = created();
    const set = new WorkingSet(LOCAL_SCOPE, []);
    set.loadTrace('t', { ...trace, createHash: requestHash({ ...TRACE }).slice(0, letters) });
    set.loadSpan('s', { ...span, createHash: requestHash({ ...SPAN }).slice(0, letters) });
    return set;
  };

  it.each(Object.entries(found))('is answered as the first one was, with rows %s', (_, letters) => {
    const set = setOf(letters);
    expect(createTrace(set, { name: 'a trace', id: 't' })).toMatchObject({ trace: { id: 't', name: 'a trace' } });
    expect(createSpan(set, SPAN)).toEqual({ type: 'span', span: set.span('s') });
  });

  it.each(Object.entries(found))('is refused with another body, with rows %s', (_, letters) => {
    const set = setOf(letters);
    const conflict = expect.objectContaining({ code: 'id_conflict' } satisfies Partial<Conflict>) as unknown;
    expect(thrown(() => createTrace(set, { ...TRACE, name: 'another' }))).toEqual(conflict);
    expect(thrown(() => createSpan(set, { ...SPAN, input: 'another' }))).toEqual(conflict);
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
