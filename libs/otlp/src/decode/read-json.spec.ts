import type { OtelSpan } from '@spandrel/plugin-api';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { random } from '../../../../test/support/random.js';
import { THOROUGH } from '../../../../test/support/repetitions.js';
import { anyLogs, anyTraces, jsonOf } from '../../fixtures/any-export.js';
import { encodeOtlp } from '../../fixtures/otlp-schema.js';
import { ExportFault, ItemBudget, NAMED_MAX } from './item-budget.js';
import { logsOfJson, pointsOfJson, spansOfJson } from './read-json.js';
import { logsOfProtobuf, pointsOfProtobuf, spansOfProtobuf } from './read-protobuf.js';

const budget = (): ItemBudget => new ItemBudget(100_000);
const readText = (text: string): OtelSpan[] => [...spansOfJson(text, budget())];
const read = (body: unknown): OtelSpan[] => readText(JSON.stringify(body));
const withSpan = (span: object): object => ({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
const attribute = (value: unknown): unknown =>
  read(withSpan({ attributes: [{ key: 'a', value }] }))[0]!.attributes.get('a');

/** What JSON is made of, and what it is not. */
const CHARACTERS = [...'{}[]",:.-+0123456789eEtfn\\ x\0', '\u{1f30a}', '\ud800'];
const CHANGES_EACH = 40;
const CHANGED = THOROUGH ? 100_000 / CHANGES_EACH : 25;
/** The thorough numbers take longer than a test may without saying so. */
const PATIENCE_MS = 3_600_000;

/** @returns false for text that is refused as it should be. */
function isReadable(text: string): boolean {
  try {
    readText(text);
  } catch (error) {
    expect(error).toBeInstanceOf(ExportFault);
    return false;
  }
  expect(() => JSON.parse(text) as unknown).not.toThrow();
  return true;
}

describe('the JSON reader', () => {
  it(
    'reads what the protobuf reader reads, of spans and of log records',
    () => {
      fc.assert(
        fc.property(anyTraces, anyLogs, (traces, logs) => {
          expect(read(jsonOf(traces))).toEqual([
            ...spansOfProtobuf(encodeOtlp('ExportTraceServiceRequest', traces), budget()),
          ]);
          expect([...logsOfJson(JSON.stringify(jsonOf(logs)), budget())]).toEqual([
            ...logsOfProtobuf(encodeOtlp('ExportLogsServiceRequest', logs), budget()),
          ]);
        }),
        { numRuns: THOROUGH ? 100_000 : 100 },
      );
    },
    PATIENCE_MS,
  );

  it(
    'throws nothing but ExportFault on text that was cut or changed',
    () => {
      const pick = random(1);
      let readable = 0;
      for (const message of fc.sample(anyTraces, { numRuns: CHANGED })) {
        const text = JSON.stringify(jsonOf(message));
        for (let times = 0; times < CHANGES_EACH; times++) {
          const at = pick(text.length);
          const changed = text.slice(0, at) + CHARACTERS[pick(CHARACTERS.length)]! + text.slice(at + pick(3));
          for (const sent of [changed, text.slice(0, at)]) if (isReadable(sent)) readable++;
        }
      }
      expect(readable).toBeGreaterThan(100);
    },
    PATIENCE_MS,
  );

  it.each([
    ['not JSON', '{"resourceSpans": [', 'not valid JSON at character 20: expected a value, found the end'],
    ['nothing', '', 'not valid JSON at character 1: expected a value'],
    ['something behind it', '{} {}', 'not valid JSON at character 4: expected the end after the value'],
    ['a missing comma', '{"a": 1 "b": 2}', 'not valid JSON at character 9'],
    ['a text without end', '{"a": "b', 'not valid JSON at character 9: expected a double quote'],
    ['a fault in a member that nobody knows', '{"a": [1, tru]}', 'not valid JSON at character 11'],
    ['a list', '[]', 'the body must be an object'],
    [
      'spans that are no list',
      JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: {} }] }] }),
      'resourceSpans[0].scopeSpans[0].spans must be a list',
    ],
    [
      'a span that is no object',
      JSON.stringify(withSpan([])),
      'resourceSpans[0].scopeSpans[0].spans[0] must be an object',
    ],
    [
      'attributes that are an object',
      JSON.stringify(withSpan({ attributes: {} })),
      'spans[0].attributes must be a list',
    ],
    ['log records', '{"resourceLogs": []}', 'it holds resourceLogs, which belong to another path'],
  ])('refuses %s, naming the place', (_case, text, message) => {
    expect(() => readText(text)).toThrow(
      expect.objectContaining({ kind: 'malformed', message: expect.stringContaining(message) }),
    );
  });

  it('takes ids in hex digits of any case', () => {
    expect(read(withSpan({ traceId: 'ABCDEF', spanId: 'aB', parentSpanId: '00' }))).toMatchObject([
      { traceId: 'abcdef', spanId: 'ab', parentSpanId: null },
    ]);
  });

  it('takes 64-bit integers as text and as numbers, and keeps every digit', () => {
    const text = `{"resourceSpans":[{"scopeSpans":[{"spans":[
      {"startTimeUnixNano":1763800000123456789,"endTimeUnixNano":"1763800000123456790",
       "attributes":[{"key":"a","value":{"intValue":9007199254740993}},{"key":"b","value":{"intValue":"-5"}},
                     {"key":"c","value":{"doubleValue":12345678901234567890}}]}]}]}]}`;
    expect(readText(text)).toMatchObject([
      {
        startUnixNano: 1763800000123456789n,
        endUnixNano: 1763800000123456790n,
        attributes: new Map<string, unknown>([
          ['a', 9007199254740993n],
          ['b', -5],
          ['c', Number('12345678901234567890')],
        ]),
      },
    ]);
  });

  it('reads attributes of any name, the last of a name', () => {
    const attributes = ['__proto__', 'constructor', '', 'a', 'a'].map((key, n) => ({ key, value: { intValue: n } }));
    expect([...read(withSpan({ attributes }))[0]!.attributes]).toEqual([
      ['__proto__', 0],
      ['constructor', 1],
      ['', 2],
      ['a', 4],
    ]);
  });

  it('reads a value of an odd type as one without content', () => {
    expect(attribute({ stringValue: null, intValue: 3 })).toBe(3);
    expect(attribute({ intValue: 1.5 })).toBeNull();
    expect(attribute({ stringValue: 5 })).toBeNull();
    expect(attribute('bare')).toBeNull();
  });

  it('reads names in snake_case, as protobuf has them; those of OTLP’s JSON count before them', () => {
    const span = {
      trace_id: 'AB',
      span_id: 'cd',
      parent_span_id: 'ef',
      start_time_unix_nano: '5',
      attributes: [{ key: 'a_b', value: { kvlist_value: { values: [{ key: 'c_d', value: { int_value: '7' } }] } } }],
      events: [{ name: 'e', time_unix_nano: '6' }],
      links: [{ trace_id: '12', span_id: '34' }],
      dropped_attributes_count: 2,
      endTimeUnixNano: '9',
      end_time_unix_nano: '8',
    };
    const body = {
      resource_spans: [{ scope_spans: [{ spans: [span], schema_url: 'x' }], resource: { attributes: [] } }],
    };
    expect(read(body)).toMatchObject([
      {
        ...{ traceId: 'ab', spanId: 'cd', parentSpanId: 'ef', startUnixNano: 5n, endUnixNano: 9n },
        attributes: new Map([['a_b', new Map([['c_d', 7]])]]),
        events: [{ name: 'e', timeUnixNano: 6n }],
        links: [{ traceId: '12', spanId: '34' }],
        dropped: { attributes: 2, events: 0, links: 0 },
      },
    ]);
  });

  it.each([
    [3, 'client', 2, 'error'],
    ['3', 'client', '2', 'error'],
    ['SPAN_KIND_CLIENT', 'client', 'STATUS_CODE_ERROR', 'error'],
    ['SPAN_KIND_CONSUMER', 'consumer', 'STATUS_CODE_OK', 'ok'],
    ['internal', 'internal', 'Error', 'error'],
    ['SPAN_KIND_UNSPECIFIED', null, 'STATUS_CODE_UNSET', 'unset'],
    ['SPAN_KIND_NEW', null, 'STATUS_CODE_NEW', 'unset'],
    [{}, null, [], 'unset'],
  ])('reads enums by number and by name: %j, %j', (kind, kindRead, code, codeRead) => {
    expect(read(withSpan({ kind, status: { code, message: 'm' } }))).toMatchObject([
      { kind: kindRead, status: { code: codeRead, message: 'm' } },
    ]);
  });

  it('reads members in any order, with any white space, and passes over unknown ones', () => {
    const text = `\n{ "x" : {"y":["]"]}, "resourceSpans":\t[ { "scopeSpans" : [ { "spans" : [ {"name":"a \\\\\\" b"} ] ,
      "other" : null, "scope" : {"name":"s"} } ] , "resource" : {"attributes":[{"key":"k"}]} } , {}, null ] }\r\n`;
    expect(readText(text)).toMatchObject([
      { name: 'a \\" b', scope: { name: 's', version: '' }, resource: new Map([['k', null]]) },
    ]);
  });

  it('takes values nested 64 deep, no deeper', () => {
    const nested = (depth: number): unknown =>
      depth === 0 ? { intValue: 1 } : { kvlistValue: { values: [{ key: 'k', value: nested(depth - 1) }] } };
    expect(attribute(nested(64))).toBeInstanceOf(Map);
    expect(() => attribute(nested(65))).toThrow('nested deeper than 64');
    expect(() => readText(`{"x":${'['.repeat(1_000_000)}`)).toThrow('it nests deeper than 400 levels');
  });

  it('keeps so many attributes, events and links of one span, and counts the others', () => {
    const attributes = Array.from({ length: NAMED_MAX - 1 }, (_, n) => ({ key: `k${n}` }));
    const [span] = read(withSpan({ attributes, events: [{}, {}], links: [{}], droppedLinksCount: 2 }));
    expect([span!.attributes.size, span!.events.length]).toEqual([NAMED_MAX - 1, 1]);
    expect(span!.dropped).toEqual({ attributes: 0, events: 1, links: 3 });
  });

  it('refuses more items than allowed, and objects that could be none, before they are made', () => {
    const spans = JSON.stringify({
      resourceSpans: [{ scopeSpans: [{ spans: Array.from({ length: 11 }, () => ({})) }] }],
    });
    const tooLarge: unknown = expect.objectContaining({ kind: 'too_large' });
    expect(() => [...spansOfJson(spans, new ItemBudget(10))]).toThrow(tooLarge);
    const objects = `{"x":[${'{},'.repeat(100_000)}{}]}`;
    expect(() => [...spansOfJson(objects, new ItemBudget(100))]).toThrow(tooLarge);
  });
});

describe('one span', () => {
  const withElements = (count: number): string => {
    const values = Array.from({ length: count }, () => ({ intValue: 1 }));
    const attributes = [{ key: 'list', value: { arrayValue: { values } } }];
    const one = { attributes: [{ key: 'a' }], events: [{}] };
    return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [one, { attributes }, one] }] }] });
  };

  it('may have so many values, however many others there are', () => {
    const allowed = (): ItemBudget => new ItemBudget(100_000, 500);
    expect([...spansOfJson(withElements(498), allowed())]).toHaveLength(3);
    const faulty = { kind: 'too_large', message: expect.stringContaining('limits.body_values') as unknown };
    expect(() => [...spansOfJson(withElements(500), allowed())]).toThrow(expect.objectContaining(faulty));
    expect(() => [...spansOfJson(withElements(90_000), allowed())]).toThrow(expect.objectContaining(faulty));
  });
});

describe('a text that is too much', () => {
  it.each([
    ['lists that nobody knows', `{"x":[${'[],'.repeat(5_000_000)}`],
    [
      'lists in a span',
      `{"resourceSpans":[{"resource":{},"scopeSpans":[{"scope":{},"spans":[{"x":[${'[],'.repeat(3_000_000)}`,
    ],
    [
      'numbers in a span',
      `{"resourceSpans":[{"resource":{},"scopeSpans":[{"scope":{},"spans":[{"x":[${'0,'.repeat(4_000_000)}`,
    ],
  ])('is refused for %s before its end is looked for', (_what, text) => {
    const allowed = new ItemBudget(500_000, 50_000);
    expect(() => [...spansOfJson(text, allowed)]).toThrow(expect.objectContaining({ kind: 'too_large' }));
  });
});

describe('log records and metrics', () => {
  it('take the event name from the field, else from the attribute', () => {
    const named = (record: object): unknown => {
      const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] });
      return [...logsOfJson(body, budget())].map(({ eventName }) => eventName);
    };
    const attributes = [{ key: 'event.name', value: { stringValue: 'gen_ai.choice' } }];
    expect(named({ attributes })).toEqual(['gen_ai.choice']);
    expect(named({ attributes, eventName: 'gen_ai.user.message' })).toEqual(['gen_ai.user.message']);
    expect(named({})).toEqual(['']);
  });

  it('have the time at which it happened, else at which it was observed', () => {
    const logRecords = [{ timeUnixNano: '5', observedTimeUnixNano: '7' }, { observedTimeUnixNano: '7' }];
    const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
    expect([...logsOfJson(body, budget())].map(({ timeUnixNano }) => timeUnixNano)).toEqual([5n, 7n]);
  });

  it('count the data points of every kind of metric', () => {
    const points = [{ asDouble: 1 }, { asDouble: 2 }];
    const metrics = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'].map((kind) => ({
      name: kind,
      [kind]: { dataPoints: points },
    }));
    const message = { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] };
    const expected = [2, 2, 2, 2, 2];
    expect([...pointsOfJson(JSON.stringify(message), budget())]).toEqual(expected);
    expect([...pointsOfProtobuf(encodeOtlp('ExportMetricsServiceRequest', message), budget())]).toEqual(expected);
  });
});
