import { describe, expect, it } from '@jest/globals';
import { SpanJson } from '../span-json.js';
import type { StoredSpan } from '../span.entity.js';
import { eventJson, referenceOf, shortSpanEvent, wholeLine } from './short-span.js';
import { ALL_MEMBERS, bitOf } from './text-member.js';

const long = (text: string): string => JSON.stringify(`${text} $& \u0001 "${'潮x'.repeat(50)}`);
const running = {
  projectId: 'p',
  id: 's"1',
  traceId: 't',
  parentId: null,
  name: 'name',
  status: 0,
  startedAt: 1_700_000_000_000,
  endedAt: null,
  durationMs: null,
  totalTokens: null,
  cost: null,
  cover: null,
  kindType: 'tool',
  kind: `{"type":"tool","attributes":${long('kind')}}`,
  input: long('input'),
  output: null,
  metadata: `{"mine":${long('metadata')}}`,
  error: null,
} as StoredSpan;
const failed: StoredSpan = {
  ...running,
  status: 2,
  endedAt: running.startedAt + 5,
  durationMs: 5,
  output: long('output'),
  error: long('error'),
};

/** The short form of an event of a span that is `kept` at the end of its transaction. */
const shortOf = (span: StoredSpan, kept: StoredSpan) => shortSpanEvent('span_failed', span, new SpanJson(span), kept);
const whole = (span: StoredSpan): string => eventJson('span_failed', new SpanJson(span).whole);

describe('the short form of an event of a span', () => {
  it.each([
    ['that has ended leaves out all of its texts', failed, failed, ALL_MEMBERS],
    ['that runs leaves out what its end does not change', running, running, bitOf('input')],
    [
      'that ended in the same transaction leaves out what it had before',
      running,
      failed,
      bitOf('kind') + bitOf('input') + bitOf('metadata'),
    ],
    [
      'leaves out nothing that changed again',
      failed,
      { ...failed, input: long('other') },
      ALL_MEMBERS - bitOf('input'),
    ],
  ])('%s', (_what, span, kept, members) => {
    const { line, bytes } = shortOf(span, kept)!;
    expect(referenceOf(line)).toEqual({ id: span.id, startedAt: kept.startedAt, members });
    expect(bytes).toBe(Buffer.byteLength(whole(span)));
    expect(line).not.toMatch(/[\r\n]/);
    expect(wholeLine(line, span)).toBe(whole(span));
  });

  it('of short texts, and of metadata with members of the service, is none', () => {
    const short: StoredSpan = { ...failed, kind: '{"type":"tool"}', input: '1', output: '2', error: '"e"' };
    const metadata = `{"duration_ms":1,"mine":${long('metadata')}}`;
    for (const span of [
      { ...short, metadata: null },
      { ...short, metadata },
    ]) {
      expect(shortOf(span, span)).toBeUndefined();
    }
  });

  it('has null for texts that are missing', () => {
    const none = { kind: null, input: null, output: null, metadata: null, error: null };
    const event = JSON.parse(wholeLine(shortOf(failed, failed)!.line, none)) as { span: object };
    expect(event.span).toMatchObject({ id: failed.id, input: null, output: null, error: null });
  });
});
