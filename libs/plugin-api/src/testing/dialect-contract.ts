import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Dialect, DialectClaims, Given, SpanReading } from '../dialect/dialect.js';
import type { OtelMap, OtelSpan, OtelValue } from '../dialect/otel-span.js';
import type { DialectPlugin } from '../plugin.js';
import { assertReturnedValues } from './returned-values.js';
import { ODD_VALUES } from './odd-values.js';
import { otelSpan, otelValue, type PlainSpan } from './otel-span.js';
import { describePlugin, setUpPlugin, type ConfigFixtures, type TestFunctions } from './set-up-plugin.js';

export interface DialectContract<Config> {
  plugin: DialectPlugin<Config>;
  /** Left out: a plugin without config. */
  configs?: ConfigFixtures;
  spans: readonly DialectFixture[];
}

/** A span and what the dialect reads from it; members that are not expected must be absent. */
export interface DialectFixture {
  name: string;
  span: OtelSpan;
  reading: ExpectedReading;
}

/** A reading with values alone, without what they were made of. */
export type ExpectedReading = {
  [Member in keyof SpanReading]?: NonNullable<SpanReading[Member]> extends Given ? unknown : SpanReading[Member];
};

/** The tests every dialect plugin must pass. */
export function describeDialectContract<Config>(contract: DialectContract<Config>, test: TestFunctions): void {
  const { plugin, configs = { accepted: [{}], refused: [{ depth: 1 }] }, spans } = contract;
  const { describe, it } = test;
  const provide = async (): Promise<Dialect> => setUpPlugin(plugin, configs.accepted[0]);

  describe(`dialect plugin ${plugin.name}`, () => {
    describePlugin(plugin, 'dialect', configs, test);
    for (const { name, span, reading } of spans) {
      it(`reads ${name}`, async () => {
        const dialect = await provide();
        assert.ok(isClaimed(dialect.claims, span), 'none of its claims is in this span');
        assert.deepEqual(plainReading(dialect.read(span)), reading);
      });
      it(`reads ${name} again, and changes nothing of it`, async () => {
        const dialect = await provide();
        const before = copyOf(span);
        const first = dialect.read(span);
        assert.deepEqual(span, before);
        assert.deepEqual(dialect.read(copyOf(span)), first);
      });
      it(`gives back what it takes from ${name}`, async () => {
        assertReturnedValues(span, (await provide()).read(span) ?? {});
      });
      it(`reads whatever stands in place of ${name}`, async () => {
        const dialect = await provide();
        for (const odd of mutationsOfSpan(span)) assertReading(dialect.read(odd));
      });
    }
    it('reads a span that has nothing', async () => {
      assertReading((await provide()).read(otelSpan({ name: '', parentSpanId: null, startUnixNano: 0n })));
    });
  });
}

export function isClaimed(claims: DialectClaims, span: OtelSpan): boolean {
  const matches = (claimed: readonly string[] = [], names: Iterable<string>): boolean =>
    [...names].some((name) =>
      claimed.some((claim) => (claim.endsWith('*') ? name.startsWith(claim.slice(0, -1)) : claim === name)),
    );
  return (
    matches(claims.attributes, span.attributes.keys()) ||
    matches(
      claims.events,
      span.events.map(({ name }) => name),
    ) ||
    matches(claims.scopes, [span.scope.name]) ||
    matches(claims.spans, [span.name])
  );
}

/** A reading's members that have a value, without what they were made of. */
export function plainReading(reading: SpanReading | undefined): ExpectedReading {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(reading ?? {})) {
    if (value === undefined) continue;
    plain[name] = isGiven(value) ? value.value : defined(value);
  }
  return plain as ExpectedReading;
}

const defined = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))
    : value;

const isGiven = (value: unknown): value is Given => typeof value === 'object' && value !== null && 'value' in value;

function copyOf(span: OtelSpan): OtelSpan {
  return {
    ...span,
    attributes: copyOfMap(span.attributes),
    events: span.events.map((event) => ({ ...event, attributes: copyOfMap(event.attributes) })),
  };
}

const copyOfMap = (map: OtelMap): OtelMap => new Map([...map].map(([name, value]) => [name, copyOfValue(value)]));

function copyOfValue(value: OtelValue): OtelValue {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return value.slice();
  return value instanceof Map ? copyOfMap(value) : (value as readonly OtelValue[]).map(copyOfValue);
}

function* mutationsOfSpan(span: OtelSpan): Generator<OtelSpan> {
  const odd = [...ODD_VALUES, 2n ** 60n, Number.NaN, new Uint8Array(3), '{', '[1', '{"a":', '[[[]]]', 'null', '7'];
  for (const name of span.attributes.keys()) {
    for (const value of odd) yield { ...span, attributes: new Map(span.attributes).set(name, otelValue(value)) };
  }
  for (const [at, event] of span.events.entries()) {
    for (const name of event.attributes.keys()) {
      for (const value of odd) {
        const attributes = new Map(event.attributes).set(name, otelValue(value));
        yield { ...span, events: span.events.with(at, { ...event, attributes }) };
      }
    }
  }
}

const TEXTS = ['model', 'responseModel', 'responseId', 'provider', 'failure', 'session', 'user', 'traceName'] as const;
const GIVEN = ['input', 'output', 'request', 'metadata', 'traceMetadata'] as const;

function assertReading(reading: SpanReading | undefined): void {
  if (reading === undefined) return;
  assert.ok(!('then' in reading), 'a dialect is no asynchronous function');
  for (const member of TEXTS) assert.match(typeof reading[member], /^(string|undefined)$/, member);
  for (const member of GIVEN) {
    const given: Given | undefined = reading[member];
    assert.ok(given === undefined || 'value' in given, `${member} has no value`);
    assert.doesNotThrow(() => JSON.stringify(given?.value), `${member} is no JSON`);
  }
  for (const [name, count] of Object.entries(reading.usage ?? {})) {
    if (count === undefined || count === null || typeof count === 'boolean') continue;
    if (name === 'serviceTier' && typeof count === 'string') continue;
    const isAmount = typeof count === 'number' && count >= 0 && Number.isFinite(count);
    assert.ok(isAmount && (name === 'cost' || Number.isSafeInteger(count)), `${name} ${String(count)} is no count`);
  }
}

interface Recording {
  recorded_from: Record<string, string>;
  spans: { span: RecordedSpan; reading: ExpectedReading }[];
}

type RecordedSpan = Omit<PlainSpan, 'startUnixNano' | 'endUnixNano'> & { startUnixNano: string; endUnixNano: string };

/**
 * Spans that a real instrumentation sent, and what a dialect is to read from each. @param file URL of the recording.
 */
export function recordedSpans(file: URL): DialectFixture[] {
  const recording = JSON.parse(readFileSync(file, 'utf8')) as Recording;
  const from = Object.entries(recording.recorded_from).map(([name, version]) => `${name} ${version}`);
  return recording.spans.map(({ span: { startUnixNano, endUnixNano, ...span }, reading }, at) => ({
    name: `span ${at + 1}, ${span.name}, of ${from[0]}`,
    span: otelSpan({ ...span, startUnixNano: BigInt(startUnixNano), endUnixNano: BigInt(endUnixNano) }),
    reading,
  }));
}
