/** Whatever a span or a log record says is somewhere in the stored span or its trace, whichever dialect reads it. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SpanResource } from '@spandrel/contract';
import type { Dialect, DialectPlugin, OtelMap, OtelSpan, OtelValue } from '@spandrel/plugin-api';
import { otelValue, recordedSpans, type DialectFixture } from '@spandrel/plugin-api/testing';
import { DialectReader } from '../../libs/otlp/src/reading/dialect-reader.js';
import { readSpan } from '../../libs/otlp/src/reading/read-span.js';
import { describeOnDatabase, SQLITE } from '../support/databases.ts';
import { OtlpDoor } from './otlp-door.ts';
import { logsOf, tracesOf } from './sender-exports.ts';

const FOLDER = 'plugins/dialects';
const BYTES_MAX = 10_485_760;

/** The built-in dialects in the order of config. */
const NAMES = [...readFileSync('config/default.yaml', 'utf8').matchAll(/^ {2}- ([a-z-]+)$/gm)]
  .map(([, name]) => name!)
  .filter((name) => existsSync(`${FOLDER}/${name}/index.ts`));

const FIXTURES: Readonly<Record<string, readonly DialectFixture[]>> = Object.fromEntries(
  await Promise.all(
    NAMES.map(async (name) => {
      const byHand = (await import(`../../plugins/dialects/${name}/fixtures/by-hand.js`)) as {
        BY_HAND: readonly DialectFixture[];
      };
      const recorded = globSync(`${FOLDER}/${name}/fixtures/*.json`).flatMap((file) =>
        recordedSpans(new URL(`../../${file}`, import.meta.url)),
      );
      return [name, [...byHand.BY_HAND, ...recorded]];
    }),
  ),
);

const DIALECTS = await Promise.all(
  NAMES.map(async (name) => {
    const { default: plugin } = (await import(`../../plugins/dialects/${name}/index.js`)) as { default: DialectPlugin };
    return { name, extension: (await plugin.setup({ logger: console }, {})) as Dialect };
  }),
);

/** Texts that are nowhere else, and which of them a text lacks. */
class Markers {
  private readonly made: string[] = [];

  make(): string {
    const marker = `marker-${this.made.length}-${Math.trunc(this.made.length * 7919)}x`;
    this.made.push(marker);
    return marker;
  }

  /** A member whose name is nowhere else either. */
  makeMember(): readonly [name: string, marker: string] {
    const marker = this.make();
    return [`novel_${marker}`, marker];
  }

  missingIn(text: string): string[] {
    return this.made.filter((marker) => !text.includes(`"${marker}"`) && !text.includes(`"${marker}\\`));
  }
}

/** A value with an unknown member in every object of it, also of those in JSON text. */
function withUnknown(value: unknown, markers: Markers): unknown {
  if (typeof value === 'string') {
    const parsed = jsonIn(value);
    return parsed === undefined ? value : JSON.stringify(withUnknown(parsed, markers));
  }
  if (Array.isArray(value)) return value.map((item) => withUnknown(item, markers));
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  const members = value instanceof Map ? [...(value as OtelMap)] : Object.entries(value);
  const more = [
    ...members.map(([name, member]) => [name, withUnknown(member, markers)] as const),
    markers.makeMember(),
  ];
  return Object.fromEntries(more);
}

function jsonIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Attributes with unknown members in their values, and unknown names beside their own. */
function attributesWithUnknown(attributes: OtelMap, markers: Markers): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const [name, value] of attributes) {
    all[name] = withUnknown(value, markers);
    const dot = name.lastIndexOf('.');
    if (dot > 0) all[`${name.slice(0, dot)}.novel_name`] ??= markers.make();
  }
  return { ...all, 'novel.name': markers.make() };
}

/** Events of messages with members that nobody knows. */
const novelEvents = (markers: Markers) => [
  {
    name: 'gen_ai.user.message',
    attributes: { content: markers.make(), novel: markers.make(), 'x.novel': markers.make() },
  },
  {
    name: 'gen_ai.choice',
    attributes: {
      message: { content: markers.make(), novel: markers.make(), tool_calls: [{ novel: markers.make() }] },
      novel: { deep: [markers.make()] },
    },
  },
  {
    name: 'gen_ai.choice',
    attributes: { 'gen_ai.event.content': JSON.stringify({ content: markers.make(), novel: markers.make() }) },
  },
];

/** Every text within a value, JSON within texts looked into: a copy of the value with another text there. */
function* leavesOf(
  value: unknown,
  name: string,
  replace: (text: unknown) => unknown,
): Generator<(text: string) => unknown> {
  if (FORM.has(name)) return;
  if (typeof value === 'string') {
    const parsed = jsonIn(value);
    if (parsed === undefined) yield replace;
    else yield* leavesOf(parsed, name, (changed) => replace(JSON.stringify(changed)));
  } else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) yield* leavesOf(item, '', (changed) => replace(value.with(at, changed)));
  } else if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) {
    const members = value instanceof Map ? Object.fromEntries(value as OtelMap) : (value as Record<string, unknown>);
    for (const [member, item] of Object.entries(members)) {
      yield* leavesOf(item, member, (changed) => replace({ ...members, [member]: changed }));
    }
  }
}

/** Members that say in which form something is written, who says it, or why it ended: they are brought to one form. */
const FORM = new Set(['type', 'role', 'lc', 'object', 'finish_reason', 'finishReason', 'stop_reason', 'stopReason']);

/** Spans that differ from one by one text. */
function* spansWithOtherText(span: OtelSpan, text: string): Generator<OtelSpan> {
  const changed = (attributes: OtelMap, name: string, value: unknown): OtelMap =>
    new Map(attributes).set(name, otelValue(value));
  for (const [name, value] of span.attributes) {
    const own = name.slice(name.lastIndexOf('.') + 1);
    for (const leaf of leavesOf(value, own, (other) => other)) {
      yield { ...span, attributes: changed(span.attributes, name, leaf(text)) };
    }
  }
  for (const [at, event] of span.events.entries()) {
    for (const [name, value] of event.attributes) {
      for (const leaf of leavesOf(value, name, (other) => other)) {
        const attributes = changed(event.attributes, name, leaf(text));
        yield { ...span, events: span.events.with(at, { ...event, attributes }) };
      }
    }
  }
}

/** Spans whose values are not read: what stands in a pending span's attributes is that of another. */
const textOf = (value: OtelValue | undefined): string => (typeof value === 'string' ? value : '');

describe.each(NAMES)('what %s reads', (name) => {
  const reader = new DialectReader(DIALECTS, (dialect, error) => {
    throw new Error(`${dialect} threw`, { cause: error });
  });
  const stored = (span: OtelSpan): string => {
    const { span: read, trace } = readSpan(span, reader, BYTES_MAX);
    return JSON.stringify([read, trace]);
  };

  it('is stored with every text that stands in place of another', () => {
    for (const { name: fixture, span } of FIXTURES[name]!) {
      let at = 0;
      for (const other of spansWithOtherText(span, 'marker-text')) {
        at++;
        if (!stored(other).includes('marker-text')) {
          const before = JSON.stringify(
            [...other.attributes].filter(([, value]) => textOf(value).includes('marker-text')),
          );
          throw new Error(`text ${at} of ${fixture} is lost: ${before.slice(0, 2_000)}`);
        }
      }
    }
  });

  it('is stored with every member that nobody knows', () => {
    for (const { name: fixture, span } of FIXTURES[name]!) {
      const markers = new Markers();
      const attributes = otelValue(attributesWithUnknown(span.attributes, markers)) as OtelMap;
      const events = span.events.map((event) => ({
        ...event,
        attributes: otelValue(attributesWithUnknown(event.attributes, markers)) as OtelMap,
      }));
      expect([fixture, markers.missingIn(stored({ ...span, attributes, events }))]).toEqual([fixture, []]);
    }
  });
});

describeOnDatabase(SQLITE, 'exports with members that nobody knows', ({ newDatabase }) => {
  let door: OtlpDoor;
  beforeAll(async () => void (door = await OtlpDoor.open(await newDatabase('nothing_lost'))));
  afterAll(() => door.close());

  it.each(NAMES)('lose none of them: spans of %s, their events, and log records', async (name) => {
    for (const { name: fixture, span } of FIXTURES[name]!.slice(0, 8)) {
      const markers = new Markers();
      const attributes = attributesWithUnknown(span.attributes, markers);
      const { traceId, body } = tracesOf(span.scope.name, [
        {
          name: span.name,
          attributes,
          events: [...novelEvents(markers), { name: 'novel.event', attributes: { text: markers.make() } }],
        },
      ]);
      expect((await door.post(body)).status).toBe(200);
      const logs = logsOf(
        traceId,
        novelEvents(markers).map((record) => ({ eventName: record.name, body: record.attributes })),
      );
      expect((await door.post(logs, { path: '/v1/logs' })).status).toBe(200);
      const { body: read } = await door.api.get<{ spans: SpanResource[] }>(`/api/traces/${traceId}`);
      expect([fixture, markers.missingIn(JSON.stringify(read))]).toEqual([fixture, []]);
    }
  });

  it('keep a record that says the same as its span once, and one that says something else beside it', async () => {
    const asked = { 'gen_ai.operation.name': 'chat', 'gen_ai.input.messages': '[{"role":"user","content":"Tide?"}]' };
    const { traceId, body } = tracesOf('test', [{ name: 'chat', attributes: asked }]);
    await door.post(body);
    const logged = async (content: string): Promise<unknown> => {
      await door.post(logsOf(traceId, [{ eventName: 'gen_ai.user.message', body: { content } }]), { path: '/v1/logs' });
      const [span] = await door.spansOf(traceId);
      expect(span!.input).toEqual([{ role: 'user', content: 'Tide?' }]);
      return (span!.metadata['otel'] as { logged?: unknown }).logged;
    };
    expect(await logged('Tide?')).toBeUndefined();
    expect(await logged('Wind?')).toEqual({
      input: [
        { role: 'user', content: 'Tide?' },
        { role: 'user', content: 'Wind?' },
      ],
    });
  });
});
