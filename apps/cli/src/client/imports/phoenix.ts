import { basename } from 'node:path';
import { parseTimestamp } from '@spandrel/contract';
import { filledTextOf, kindOfType, listOf } from '@spandrel/plugin-api';
import { scoreOf } from './foreign-records.js';
import { digestOf, isMembers, leftOf, membersOf, metadataWith, setAt, textOf, type Members } from './foreign-values.js';
import type { Intake, Place, Product } from './intake.js';

/**
 * What `px` and the API of Phoenix write: traces, lists of spans, datasets. Spans are those of OpenTelemetry with the
 * attributes of OpenInference, and are sent as such: they are read as if the application had sent them here.
 */
export class Phoenix implements Product {
  private readonly traces = new Set<unknown>();

  knows(record: unknown): boolean {
    return formOf(record) !== undefined;
  }

  async take(record: unknown, place: Place, intake: Intake): Promise<void> {
    const { spans, examples, data, ...members } = membersOf(record);
    switch (formOf(record)) {
      case 'trace':
        for (const span of listOf(spans)) await this.takeSpan(span, place, intake);
        return takeAnnotations(members, { trace_id: textOf(members['traceId'])?.toLowerCase() }, place, intake);
      case 'page':
        for (const one of [data].flat()) if (this.knows(one)) await this.take(one, place, intake);
        return;
      case 'span':
        return this.takeSpan(record, place, intake);
      case 'dataset':
        for (const example of listOf(examples)) await takeExample(membersOf(example), place, intake);
        return;
      default:
        return takeExample(membersOf(record), place, intake);
    }
  }

  async finish(intake: Intake): Promise<void> {
    intake.summary.taken.traces = this.traces.size;
  }

  private async takeSpan(record: unknown, place: Place, intake: Intake): Promise<void> {
    const { context, name, span_kind: kind, parent_id: parent, attributes, events, ...members } = membersOf(record);
    const { trace_id: traceId, span_id: spanId } = membersOf(context);
    if (typeof traceId !== 'string' || typeof spanId !== 'string')
      return intake.leaveOut(place, 'a span without its ids');
    const start = nanosOf(members['start_time']);
    if (start === undefined) return intake.leaveOut(place, `span ${spanId} has no start_time`);
    const isFailed = members['status_code'] === 'ERROR';
    this.traces.add(traceId);
    await intake.add(
      'otel',
      {
        ...{ traceId, spanId, parentSpanId: parent ?? '', name: filledTextOf(name) ?? 'span' },
        startTimeUnixNano: start,
        endTimeUnixNano: nanosOf(members['end_time']) ?? '0',
        attributes: attributesOf({ ...grouped(membersOf(attributes)), 'openinference.span.kind': kind ?? 'UNKNOWN' }),
        events: listOf(events).map((event) => ({
          name: membersOf(event)['name'],
          timeUnixNano: nanosOf(membersOf(event)['timestamp']) ?? '0',
          attributes: attributesOf(membersOf(membersOf(event)['attributes'])),
        })),
        status: isFailed ? { code: 2, message: members['status_message'] ?? '' } : { code: 1 },
      },
      place,
    );
    // The server reads the same of them (docs/spec/otlp.md#openinference).
    const type = (textOf(kind) ?? 'unknown').toLowerCase();
    intake.count(type, kindOfType(type, '').type);
    const target = { trace_id: traceId.toLowerCase(), span_id: spanId.toLowerCase() };
    await takeAnnotations(members, target, place, intake);
  }
}

async function takeAnnotations(from: Members, target: Members, place: Place, intake: Intake): Promise<void> {
  for (const one of [...listOf(from['annotations']), ...listOf(from['notes'])]) {
    const { id: theirs, name, annotator_kind: source, result, metadata, user_id: author, ...others } = membersOf(one);
    const { score: value, label, explanation: comment } = membersOf(result);
    const { span_id: _span, trace_id: _trace, ...rest } = others;
    // Their ids are numbers of rows, the same ones in every instance; an annotation may have none.
    const own = theirs ?? [rest['identifier'], author, comment];
    const id = `phoenix:${digestOf([target, name, source, own]).slice(0, 32)}`;
    const members = { id, name, value, label, comment, source, author, metadata, rest: { ...rest, id: theirs } };
    await intake.add('scores', scoreOf('phoenix', target, members), place);
  }
}

async function takeExample(example: Members, place: Place, intake: Intake): Promise<void> {
  const { input, output, metadata, ...rest } = example;
  const name = basename(place.file).replace(/\.(?:json|jsonl|ndjson)(?:\.gz)?$/i, '');
  // When it was exported says nothing of it.
  const { updated_at: _updated, ...kept } = rest;
  const row = { input, ...leftOf({ expected_output: output }), metadata: metadataWith(metadata, 'phoenix', kept) };
  await intake.addDatapoint(name, null, row, place);
}

function formOf(record: unknown): 'trace' | 'page' | 'span' | 'dataset' | 'example' | undefined {
  if (!isMembers(record)) return undefined;
  if (isMembers(record['context']) && record['span_kind'] !== undefined) return 'span';
  if (Array.isArray(record['spans']) && typeof record['traceId'] === 'string') return 'trace';
  if (Array.isArray(record['examples']) && record['dataset_id'] !== undefined) return 'dataset';
  if ('input' in record && 'output' in record && 'node_id' in record) return 'example';
  const first: unknown = [record['data']].flat()[0];
  return record['data'] !== undefined && formOf(first) !== undefined ? 'page' : undefined;
}

/** JSON text of these is one attribute, which Phoenix takes apart. */
const JSON_TEXTS = ['metadata', 'tool.parameters'];

/** Attributes as they were sent: objects that stood as JSON text in one attribute are that again. */
function grouped(attributes: Members): Members {
  const whole: Members = {};
  const objects: Record<string, Members> = {};
  for (const [name, value] of Object.entries(attributes)) {
    const group = JSON_TEXTS.find((one) => name.startsWith(`${one}.`));
    if (group === undefined)
      whole[name] = JSON_TEXTS.includes(name) && isMembers(value) ? JSON.stringify(value) : value;
    else setAt((objects[group] ??= {}), name.slice(group.length + 1).split('.'), value);
  }
  return { ...whole, ...Object.fromEntries(Object.entries(objects).map(([name, one]) => [name, JSON.stringify(one)])) };
}

const attributesOf = (members: Members): Members[] =>
  Object.entries(members).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: anyValue(value) }],
  );

function anyValue(value: unknown): Members {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (isMembers(value)) return { kvlistValue: { values: attributesOf(value) } };
  const text = JSON.isRawJSON(value) ? value.rawJSON : String(value);
  return /^-?\d+$/.test(text) ? { intValue: text } : { doubleValue: Number(text) };
}

/** Nanoseconds since 1970 as text, with every digit of the fraction; `undefined` for what is no such time. */
function nanosOf(time: unknown): string | undefined {
  const ms = typeof time === 'string' ? parseTimestamp(time) : undefined;
  if (ms === undefined || ms < 0) return undefined;
  const fraction = /[.,](\d{1,9})/.exec(time as string)?.[1] ?? '';
  return `${Math.floor(ms / 1_000)}${fraction.padEnd(9, '0')}`;
}
