import { describe, expect, it } from '@jest/globals';
import { formatTimestamp, parseExactJson, type SpanResource } from '@spandrel/contract';
import { fromJsonText, toJsonText } from '@spandrel/storage';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character.js';
import { NO_METADATA_VALUES } from './metadata/metadata.entity.js';
import { spanJson, shownKind, shownMetadata, shownStatus } from './span-json.js';
import type { StoredSpan } from './span.entity.js';

const json = fc.json().map((text) => toJsonText(parseExactJson(text)));
/** Names of metadata, those that the service sets on finished spans among them. */
const member = fc.oneof(fc.string(), fc.constantFrom('duration_ms', 'total_tokens', 'cost', 'cost_source', '7'));
const count = fc.option(fc.integer({ min: 0, max: 1_000_000 }));

const columns = fc.record({
  projectId: fc.constant('p'),
  id: fc.string(),
  traceId: fc.string(),
  parentId: fc.option(fc.string()),
  name: fc.string({ unit: anyCharacter }),
  status: fc.constantFrom(0, 1, 2),
  model: fc.option(fc.string()),
  provider: fc.option(fc.string()),
  inputTokens: count,
  outputTokens: count,
  totalTokens: count,
  cachedTokens: count,
  cost: fc.option(fc.double({ min: 0, max: 1e9, noNaN: true })),
  startedAt: fc.integer({ min: 0, max: 4e12 }),
  endedAt: fc.option(fc.integer({ min: 0, max: 4e12 })),
  durationMs: count,
  createHash: fc.constant(null),
  cover: fc.constantFrom(null, 1, 2, 3, 4, 5),
  kind: fc.constantFrom(
    '{"type":"custom"}',
    '{"type":"embedding","model":"m","input_tokens":4}',
    '{"type":"embedding","model":"m","cost":0.5}',
    '{"type":"llm_call","model":"m"}',
    '{"type":"llm_call","model":"m","cost":0.10000000000000000001,"big":12345678901234567890}',
  ),
  input: json,
  output: json,
  metadata: fc.option(fc.dictionary(member, fc.jsonValue()).map((value) => JSON.stringify(value))),
  error: fc.option(fc.string({ unit: anyCharacter }).map((text) => JSON.stringify(text))),
});

const span: fc.Arbitrary<StoredSpan> = columns.map((row) => ({
  ...row,
  ...NO_METADATA_VALUES,
  coldDigest: null,
  kindType: (JSON.parse(row.kind) as { type: string }).type,
}));

/** A stored span as the wire shows it (docs/spec/spans.md#the-span-object). */
function spanResource(span: StoredSpan): SpanResource {
  return {
    id: span.id,
    trace_id: span.traceId,
    parent_id: span.parentId,
    name: span.name,
    kind: shownKind(span),
    input: fromJsonText(span.input),
    output: fromJsonText(span.output),
    ...shownStatus(span),
    started_at: formatTimestamp(span.startedAt),
    ended_at: span.endedAt === null ? null : formatTimestamp(span.endedAt),
    metadata: shownMetadata(span),
  };
}

describe('spanJson', () => {
  it('is the JSON of the resource, on one line', () => {
    fc.assert(
      fc.property(span, (stored) => {
        expect(spanJson(stored)).toBe(JSON.stringify(spanResource(stored)));
        expect(spanJson(stored)).not.toMatch(/[\r\n]/);
      }),
      { numRuns: 500 },
    );
  });
});
