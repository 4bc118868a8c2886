import fc from 'fast-check';

/** A message as `encodeOtlp` takes it: 64-bit integers as text, bytes as Buffer. */
type Plain = Record<string, unknown>;

const bytesOf = (minLength: number, maxLength: number): fc.Arbitrary<Buffer> =>
  fc.uint8Array({ minLength, maxLength }).map((bytes) => Buffer.from(bytes));
const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
const nanos = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }));
const count = fc.oneof(fc.constant(0), fc.nat({ max: 2 ** 31 - 1 }));
const name = fc.oneof(text, fc.constantFrom('gen_ai.system', '__proto__', 'constructor', '', 'event.name'));

const { value, keyValues } = fc.letrec<{ value: Plain; keyValues: Plain[] }>((tie) => ({
  keyValues: fc.array(fc.record({ key: name, value: fc.oneof(tie('value'), fc.constant({})) }), { maxLength: 4 }),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text.map((stringValue) => ({ stringValue })),
    fc.boolean().map((boolValue) => ({ boolValue })),
    fc.oneof(fc.integer().map(String), long).map((intValue) => ({ intValue })),
    fc.double().map((doubleValue) => ({ doubleValue })),
    bytesOf(0, 20).map((bytesValue) => ({ bytesValue })),
    fc.array(tie('value'), { maxLength: 4 }).map((values) => ({ arrayValue: { values } })),
    tie('keyValues').map((values) => ({ kvlistValue: { values } })),
  ),
}));

const id = (length: number): fc.Arbitrary<Buffer> => fc.oneof(bytesOf(length, length), bytesOf(0, 20));
const resource = fc.record({ attributes: keyValues });
const scope = fc.record({ name: text, version: text });

const span = fc.record({
  traceId: id(16),
  spanId: id(8),
  traceState: text,
  parentSpanId: id(8),
  name: text,
  kind: fc.nat({ max: 7 }),
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
  attributes: keyValues,
  droppedAttributesCount: count,
  events: fc.array(fc.record({ timeUnixNano: nanos, name, attributes: keyValues }), { maxLength: 3 }),
  droppedEventsCount: count,
  links: fc.array(fc.record({ traceId: id(16), spanId: id(8), attributes: keyValues }), { maxLength: 2 }),
  droppedLinksCount: count,
  status: fc.record({ message: text, code: fc.nat({ max: 4 }) }),
  flags: count,
});

const logRecord = fc.record({
  timeUnixNano: nanos,
  observedTimeUnixNano: nanos,
  severityText: text,
  body: value,
  attributes: keyValues,
  traceId: id(16),
  spanId: id(8),
  eventName: fc.oneof(text, fc.constant('')),
});

const wrapped = (item: fc.Arbitrary<Plain>, resources: string, scopes: string, items: string): fc.Arbitrary<Plain> => {
  const scoped = fc.array(fc.record({ scope, [items]: fc.array(item, { maxLength: 3 }) }), { maxLength: 3 });
  return fc.array(fc.record({ resource, [scopes]: scoped }), { maxLength: 3 }).map((all) => ({ [resources]: all }));
};

/** Any `ExportTraceServiceRequest`, as `encodeOtlp` takes it. */
export const anyTraces = wrapped(span, 'resourceSpans', 'scopeSpans', 'spans');
/** Any `ExportLogsServiceRequest`, as `encodeOtlp` takes it. */
export const anyLogs = wrapped(logRecord, 'resourceLogs', 'scopeLogs', 'logRecords');

const IDS: ReadonlySet<string> = new Set(['traceId', 'spanId', 'parentSpanId']);

/** An export as OTLP's JSON has it: ids in hex digits, other bytes in base64, 64-bit integers as text. */
export function jsonOf(message: unknown, member = ''): unknown {
  if (Buffer.isBuffer(message)) return message.toString(IDS.has(member) ? 'hex' : 'base64');
  if (Array.isArray(message)) return message.map((each) => jsonOf(each));
  if (typeof message === 'number' && !Number.isFinite(message)) return String(message);
  // JSON.stringify writes it without its sign.
  if (Object.is(message, -0)) return JSON.rawJSON('-0');
  if (typeof message !== 'object' || message === null) return message;
  return Object.fromEntries(Object.entries(message).map(([name, each]) => [name, jsonOf(each, name)]));
}
