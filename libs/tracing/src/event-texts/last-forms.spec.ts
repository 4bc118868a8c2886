import { describe, expect, it } from '@jest/globals';
import type { StoredSpan } from '../span.entity.js';
import type { TraceRow } from '../trace.entity.js';
import type { TracingChange } from '../write/tracing-change.js';
import { LastForms } from './last-forms.js';

const scope = { orgId: 'o', projectId: 'p' };
const form = (output: string): StoredSpan => ({ projectId: 'p', id: 's', traceId: 't', output }) as StoredSpan;
const [first, second] = [form('first'), form('second')];
const created: TracingChange = { type: 'span_created', scope, before: null, after: first };
const deleted: TracingChange = { type: 'trace_deleted', scope, trace: { projectId: 'p', id: 't' } as TraceRow };

describe('the last form of a span', () => {
  it.each<[string, TracingChange[], StoredSpan | null]>([
    ['is that of its last change', [created, { type: 'span_corrected', scope, before: first, after: second }], second],
    ['is none once it is deleted', [created, { type: 'span_deleted', scope, before: first, after: null }], null],
    ['is none once its trace is deleted', [created, deleted], null],
    ['is none once all is deleted', [created, { type: 'cleared', scope }], null],
    ['is that of a span that came again', [created, deleted, { ...created, after: second }], second],
    [
      'has nothing to do with other projects',
      [created, { type: 'cleared', scope: { ...scope, projectId: 'q' } }],
      first,
    ],
  ])('%s', (_what, changes, last) => {
    expect(new LastForms(changes).of(first)).toBe(last);
  });
});
