import type { OtelSpan } from '@spandrel/plugin-api';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { random } from '../../../../test/support/random.js';
import { THOROUGH } from '../../../../test/support/repetitions.js';
import { anyTraces } from '../../fixtures/any-export.js';
import { encodeOtlp } from '../../fixtures/otlp-schema.js';
import { spansByProtobufjs } from '../../fixtures/read-by-protobufjs.js';
import { ExportFault, ItemBudget, NAMED_MAX } from './item-budget.js';
import { spansOfProtobuf } from './read-protobuf.js';

const ITEMS_MAX = 100_000;

/** How many random messages, and how many changed ones: 100,000 of each where tests take their time. */
const MESSAGES = THOROUGH ? 100_000 : 300;
const CHANGES_EACH = 40;
const CHANGED = THOROUGH ? 100_000 / CHANGES_EACH : 60;
/** So many take longer than a test may without saying so. */
const PATIENCE_MS = 3_600_000;

const read = (body: Uint8Array): OtelSpan[] => [...spansOfProtobuf(Buffer.from(body), new ItemBudget(ITEMS_MAX))];
const encode = (message: object): Buffer => encodeOtlp('ExportTraceServiceRequest', message);

/** What a reader makes of bytes: its spans, or what it threw. */
function outcome(reader: () => OtelSpan[]): { spans: OtelSpan[] } | { fault: Error } {
  try {
    return { spans: reader() };
  } catch (fault) {
    return { fault: fault as Error };
  }
}

/** What protobufjs takes and we do not, on purpose: groups, and values nested deeper than it looks at. */
const STRICTER = /wire type [34]|nested deeper/;

/** Holds our reader to protobufjs on bytes that may be no message. @returns whether both read them. */
function compare(body: Uint8Array): boolean {
  const ours = outcome(() => read(body));
  const theirs = outcome(() => spansByProtobufjs(body));
  if ('fault' in ours) {
    expect(ours.fault).toBeInstanceOf(ExportFault);
    if ('spans' in theirs) expect(ours.fault.message).toMatch(STRICTER);
    return false;
  }
  if ('fault' in theirs) return false;
  expect(ours.spans).toEqual(theirs.spans);
  return true;
}

describe('the protobuf reader', () => {
  it(
    'reads every message as protobufjs does',
    () => {
      fc.assert(
        fc.property(anyTraces, (message) => {
          const body = encode(message);
          expect(read(body)).toEqual(spansByProtobufjs(body));
        }),
        { numRuns: MESSAGES },
      );
    },
    PATIENCE_MS,
  );

  it(
    'throws nothing but ExportFault on bytes that were cut or changed, and reads the same where both read',
    () => {
      const pick = random(1);
      let readByBoth = 0;
      for (const message of fc.sample(anyTraces, { numRuns: CHANGED })) {
        const body = encode(message);
        for (let times = 0; times < CHANGES_EACH && body.length > 0; times++) {
          const changed = Buffer.from(body);
          for (let bytes = pick(3); bytes >= 0; bytes--) changed[pick(changed.length)] = pick(256);
          if (compare(changed)) readByBoth++;
          compare(body.subarray(0, pick(body.length)));
        }
      }
      expect(readByBoth).toBeGreaterThan(100);
    },
    PATIENCE_MS,
  );

  it(
    'throws nothing but ExportFault on bytes of any kind',
    () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 60 }), (body) => void compare(body)),
        { numRuns: 10 * MESSAGES },
      );
    },
    PATIENCE_MS,
  );

  it('reads nothing beyond the end of the body, where the buffer goes on', () => {
    const body = encode({ resourceSpans: [{ scopeSpans: [{ spans: [{ name: 'a span' }] }] }] });
    const around = Buffer.concat([body, Buffer.from('more')]);
    for (let length = 1; length < body.length; length++) {
      expect(() => read(around.subarray(0, length))).toThrow(ExportFault);
    }
    expect(read(around.subarray(0, body.length))).toHaveLength(1);
  });

  it.each([
    ['a length beyond its message', [0x0a, 0x05, 0x12, 0x00]],
    ['a length of more than 32 bits', [0x0a, 0x80, 0x80, 0x80, 0x80, 0x10]],
    ['a length beyond the inner message, but not beyond the outer', [0x0a, 0x02, 0x12, 0x05, 1, 2, 3, 4, 5]],
    ['an endless varint', Array<number>(12).fill(0xff)],
    ['field number 0', [0x02, 0x00]],
    ['the start of a group', [0x0b, 0x0c]],
    ['the end of a group', [0x0c]],
    ['wire type 6', [0x0e]],
    ['wire type 7', [0x0f]],
    ['a message that ends within a fixed64', [0x09, 1, 2, 3]],
  ])('refuses %s', (_case, bytes) => {
    expect(() => read(Uint8Array.from(bytes))).toThrow(ExportFault);
  });

  it('mends text that is no UTF-8', () => {
    const body = encode({ resourceSpans: [{ scopeSpans: [{ spans: [{ name: 'AB' }] }] }] });
    body[body.indexOf('AB')] = 0xff;
    expect(read(body)[0]!.name).toBe('\uFFFDB');
  });

  it('finds resource and scope behind the spans that they belong to', () => {
    const spans = encode({ resourceSpans: [{ scopeSpans: [{ spans: [{ name: 'a' }] }] }] });
    const scoped = Buffer.concat([spans.subarray(4), Buffer.from([0x0a, 3, 0x0a, 1, 0x73])]);
    const resource = Buffer.from([0x0a, 5, 0x0a, 3, 0x0a, 1, 0x6b]);
    const inner = Buffer.concat([Buffer.from([0x12, scoped.length]), scoped, resource]);
    const [span] = read(Buffer.concat([Buffer.from([0x0a, inner.length]), inner]));
    expect(span).toMatchObject({ name: 'a', scope: { name: 's', version: '' }, resource: new Map([['k', null]]) });
  });

  it('passes over members of newer versions of the protocol', () => {
    const unknown = [0xfa, 0x07, 2, 1, 1];
    const body = Buffer.from([...unknown, 0x0a, 12, ...unknown, 0x12, 5, 0x12, 3, 0x2a, 1, 0x61]);
    expect(read(body)).toMatchObject([{ name: 'a' }]);
  });

  it('takes values nested 64 deep, no deeper', () => {
    expect(read(nested(64))).toHaveLength(1);
    expect(() => read(nested(65))).toThrow('nested deeper than 64');
  });

  it('ends at the number of items allowed, before they take memory', () => {
    const bomb = encode({ resourceSpans: [{ scopeSpans: [{ spans: Array.from({ length: 11 }, () => ({})) }] }] });
    const spans = spansOfProtobuf(bomb, new ItemBudget(10));
    for (let taken = 0; taken < 10; taken++) expect(spans.next().done).toBe(false);
    expect(() => spans.next()).toThrow(expect.objectContaining({ kind: 'too_large' }));
  });

  it('keeps so many attributes, events and links of one span, and counts the others', () => {
    const many = Array.from({ length: NAMED_MAX }, (_, n) => ({ key: `k${n}` }));
    const full = {
      name: 'full',
      attributes: many,
      events: [{ attributes: [{ key: 'a' }] }, {}],
      links: [{}],
      droppedEventsCount: 3,
    };
    const [first, second] = read(encode({ resourceSpans: [{ scopeSpans: [{ spans: [full, { events: [{}] }] }] }] }));
    expect([first!.attributes.size, first!.events, first!.links]).toEqual([NAMED_MAX, [], []]);
    expect(first!.dropped).toEqual({ attributes: 0, events: 5, links: 1 });
    expect(second).toMatchObject({ events: [{}], dropped: { events: 0 } });
    const linked = { links: Array.from({ length: NAMED_MAX + 5 }, () => ({ attributes: [] })) };
    const [linkedSpan] = read(encode({ resourceSpans: [{ scopeSpans: [{ spans: [linked] }] }] }));
    expect([linkedSpan!.links.length, linkedSpan!.dropped.links]).toEqual([NAMED_MAX, 5]);
    const deep = { attributes: [{ key: 'map', value: { kvlistValue: { values: many } } }] };
    const [nestedSpan] = read(encode({ resourceSpans: [{ scopeSpans: [{ spans: [deep] }] }] }));
    expect(nestedSpan!.attributes.get('map')).toHaveProperty('size', NAMED_MAX - 1);
    expect(nestedSpan!.dropped.attributes).toBe(1);
  });

  it('takes so many values of one span alone', () => {
    const values = Array.from({ length: 600 }, () => ({ intValue: 1 }));
    const span = { attributes: [{ key: 'list', value: { arrayValue: { values } } }] };
    const body = encode({ resourceSpans: [{ scopeSpans: [{ spans: [{}, span] }] }] });
    expect([...spansOfProtobuf(Buffer.from(body), new ItemBudget(10_000, 601))]).toHaveLength(2);
    expect(() => [...spansOfProtobuf(Buffer.from(body), new ItemBudget(10_000, 600))]).toThrow(
      expect.objectContaining({ kind: 'too_large', message: expect.stringContaining('limits.body_values') as unknown }),
    );
  });

  it('counts wrappers too, which hold nothing', () => {
    const bomb = Buffer.alloc(2_000_000);
    for (let at = 0; at < bomb.length; at += 2) bomb[at] = 0x0a;
    expect(() => [...spansOfProtobuf(bomb, new ItemBudget(100))]).toThrow(
      expect.objectContaining({ kind: 'too_large' }),
    );
  });
});

/** A span with a list in a list in a list; protobufjs writes no message so deep. */
function nested(depth: number): Buffer {
  let value = field(1, Buffer.from('in the middle'));
  for (let level = 0; level < depth; level++) value = field(5, field(1, value));
  return field(1, field(2, field(2, field(9, field(2, value)))));
}

/** A field with its number, its length in two bytes, and its content. */
const field = (number: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([number * 8 + 2, (content.length & 0x7f) | 0x80, content.length >> 7]), content]);
