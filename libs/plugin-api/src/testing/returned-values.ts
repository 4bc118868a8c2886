import assert from 'node:assert/strict';
import type { Given, SpanReading } from '../dialect/dialect.js';
import type { OtelMap, OtelSpan } from '../dialect/otel-span.js';
import { isVector, plainValue } from '../dialect/attribute-values.js';
import { readJson } from '../wire/lenient-json.js';

/** Members that say in which form or order something is written, or why it ended; readers bring them to one form. */
const FORM = new Set([
  ...['type', 'role', 'lc', 'index', 'finish_reason', 'thought'],
  ...['event.name', 'gen_ai.message.index'],
]);

/** Asserts that all values that a reading was made of stand in it, so that they may be left out of the attributes. */
export function assertReturnedValues(span: OtelSpan, reading: SpanReading): void {
  const there = new Set(leavesOf(Object.values(reading).map(valueOf)));
  for (const member of GIVEN) {
    for (const [name, value] of takenFrom(span, reading[member])) {
      for (const leaf of leavesOf(value)) assert.ok(there.has(leaf), `${member} lacks ${leaf} of ${name}`);
    }
  }
}

const GIVEN = ['input', 'output', 'request', 'metadata', 'traceMetadata'] as const;

const valueOf = (member: unknown): unknown =>
  typeof member === 'object' && member !== null && 'value' in member ? member.value : member;

function* takenFrom(
  { attributes, events }: OtelSpan,
  given: Given | undefined,
): Generator<[name: string, value: unknown]> {
  for (const name of given?.from ?? []) {
    const place = [attributes, ...events.map((event) => event.attributes)].find((map) => map.has(name));
    assert.ok(place, `${name} is named as taken, and is not there`);
    yield [name, valueIn(place, name)];
  }
  for (const name of given?.fromEvents ?? []) {
    for (const event of events.filter((one) => one.name === name)) {
      for (const own of event.attributes.keys()) {
        const isBody = !own.includes('.') || own === 'gen_ai.event.content';
        if (isBody && !FORM.has(own)) yield [`${name} ${own}`, valueIn(event.attributes, own)];
      }
    }
  }
}

const valueIn = (attributes: OtelMap, name: string): unknown => {
  const last = name.slice(name.lastIndexOf('.') + 1);
  return FORM.has(last) ? null : plainValue(attributes.get(name)!);
};

/** Texts, numbers and flags of a value, each with its type; JSON within texts is looked into, vectors are none. */
function* leavesOf(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    const inside = readJson(value);
    if (inside !== undefined && typeof inside !== 'string') yield* leavesOf(inside);
    else if (typeof inside === 'string') yield `string ${inside}`;
    else yield `string ${value}`;
  } else if (Array.isArray(value)) {
    if (!isVector(value)) for (const item of value) yield* leavesOf(item);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) if (!FORM.has(name)) yield* leavesOf(item);
  } else if (value !== null && value !== undefined) yield `${typeof value} ${String(value)}`;
}
