import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ingestSpanSchema, type IngestSpan } from '@spandrel/contract';
import { LOCAL_SCOPE } from '@spandrel/kernel';
import { ingestedSpan } from './apply-ingest.js';
import type { TracingChange } from './span-commit-participant.js';
import { UnitOfWork } from './unit-of-work.js';
import { type StoredSpan, STATUS } from '../span.entity.js';

const around = { now: 2_500, projectId: 'p', pricing: new Map() };

/** What is stored after the items came in this order. */
function fold(items: readonly IngestSpan[]): StoredSpan | null {
  return items.reduce<StoredSpan | null>((stored, item) => {
    const step = ingestedSpan(stored, item, around);
    return step.type === 'unchanged' ? stored : step.after;
  }, null);
}

const item = (members: object): IngestSpan => ingestSpanSchema.parse({ id: 's', trace_id: 't', name: 'n', ...members });

const anyItem = fc
  .record(
    {
      name: fc.constantFrom('a', 'b'),
      kind: fc.constantFrom(null, { type: 'custom' }, { type: 'llm_call', model: 'm', input_tokens: 1 }),
      input: fc.jsonValue({ maxDepth: 1 }),
      output: fc.jsonValue({ maxDepth: 1 }),
      parent_id: fc.constantFrom('p', null),
      metadata: fc.constantFrom({}, { a: 1 }),
      started_at: fc.constantFrom('1970-01-01T00:00:01Z', '1970-01-01T00:00:02Z'),
      ended_at: fc.constantFrom('1970-01-01T00:00:03Z', '1970-01-01T00:00:04Z'),
      error: fc.constantFrom(null, 'e'),
    },
    { requiredKeys: ['name'] },
  )
  .map(item);

describe('ingestedSpan', () => {
  it('changes nothing when the same comes again', () => {
    fc.assert(
      fc.property(fc.array(anyItem, { minLength: 1 }), (items) => {
        const stored = fold(items);
        expect(ingestedSpan(stored, items.at(-1)!, around).type).toBe('unchanged');
      }),
    );
  });

  it('never lets a finished span run again', () => {
    fc.assert(
      fc.property(fc.array(anyItem, { minLength: 1 }), (items) => {
        const statuses = items.map((_, count) => fold(items.slice(0, count + 1))!.status);
        const finished = statuses.findIndex((status) => status !== STATUS.running);
        if (finished !== -1) expect(statuses.slice(finished)).not.toContain(STATUS.running);
      }),
    );
  });

  it.each([
    [{}, STATUS.running],
    [{ ended_at: '1970-01-01T00:00:03Z' }, STATUS.completed],
    [{ error: '' }, STATUS.failed],
    [{ status: 'failed' }, STATUS.failed],
    [{ status: { failed: { error: 'e' } } }, STATUS.failed],
    [{ status: 'completed' }, STATUS.completed],
  ])('reads %j as status %i', (members, status) => {
    expect(fold([item(members)])!.status).toBe(status);
  });

  it.each([
    [{ status: 'running', ended_at: '1970-01-01T00:00:03Z' }],
    [{ status: 'running', error: 'e' }],
    [{ status: 'completed', error: 'e' }],
    [{ started_at: '1970-01-01T00:00:03Z', ended_at: '1970-01-01T00:00:02Z' }],
  ])('refuses %j', (members) => {
    expect(() => fold([item(members)])).toThrow(
      /^(status contradicts the other members: a (running|completed) span has .*|ended_at must not lie before started_at)$/,
    );
  });
});

describe('UnitOfWork', () => {
  it('refuses to finish a finished span by any way, and takes corrections of it', () => {
    const changes: TracingChange[] = [];
    const set = new UnitOfWork(LOCAL_SCOPE, changes);
    const finished = fold([item({ error: 'e' })])!;
    set.loadSpan(finished.id, finished);
    for (const type of ['span_completed', 'span_failed'] as const) {
      expect(() => set.replaceSpan(type, finished, { ...finished, name: 'again' })).toThrow('already finished');
    }
    expect([set.span(finished.id), changes]).toEqual([finished, []]);
    set.amendSpan(finished, { ...finished, name: 'corrected' });
    expect(changes.map(({ type }) => type)).toEqual(['span_corrected']);
  });
});
