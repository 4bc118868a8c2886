import type { OtelMap, OtelSpan, OtelValue } from '@spandrel/plugin-api';
import { otlpType } from './otlp-schema.js';

type Message = Record<string, unknown>;

/**
 * The spans of an export as protobufjs reads them, in the form of `OtelSpan`.
 * @throws whatever protobufjs throws where it does not read them.
 */
export function spansByProtobufjs(body: Uint8Array): OtelSpan[] {
  const type = otlpType('ExportTraceServiceRequest');
  const request = type.toObject(type.decode(body), { defaults: true }) as Message;
  return list(request['resourceSpans']).flatMap((ofResource) =>
    list(ofResource['scopeSpans']).flatMap((ofScope) => {
      const scope = (ofScope['scope'] ?? {}) as Message;
      return list(ofScope['spans']).map((span) => ({
        ...spanOf(span),
        scope: { name: text(scope['name']), version: text(scope['version']) },
        resource: mapOf(((ofResource['resource'] ?? {}) as Message)['attributes']),
      }));
    }),
  );
}

const KINDS = [null, 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const CODES = ['unset', 'ok', 'error'] as const;

function spanOf(span: Message): Omit<OtelSpan, 'scope' | 'resource'> {
  const status = (span['status'] ?? {}) as Message;
  const parent = hex(span['parentSpanId']);
  return {
    traceId: hex(span['traceId']),
    spanId: hex(span['spanId']),
    parentSpanId: /[^0]/.test(parent) ? parent : null,
    traceState: text(span['traceState']),
    name: text(span['name']),
    kind: KINDS[span['kind'] as number] ?? null,
    startUnixNano: big(span['startTimeUnixNano']),
    endUnixNano: big(span['endTimeUnixNano']),
    attributes: mapOf(span['attributes']),
    events: list(span['events']).map((event) => ({
      name: text(event['name']),
      timeUnixNano: big(event['timeUnixNano']),
      attributes: mapOf(event['attributes']),
    })),
    links: list(span['links']).map((link) => ({
      traceId: hex(link['traceId']),
      spanId: hex(link['spanId']),
      attributes: mapOf(link['attributes']),
    })),
    status: { code: CODES[(status['code'] ?? 0) as number] ?? 'unset', message: text(status['message']) },
    dropped: {
      attributes: span['droppedAttributesCount'] as number,
      events: span['droppedEventsCount'] as number,
      links: span['droppedLinksCount'] as number,
    },
  };
}

const list = (value: unknown): Message[] => (value ?? []) as Message[];
const text = (value: unknown): string => (value ?? '') as string;
const hex = (value: unknown): string => Buffer.from(value as Uint8Array).toString('hex');
const big = (value: unknown): bigint => BigInt(String(value));

const mapOf = (values: unknown): OtelMap =>
  new Map(list(values).map((entry) => [text(entry['key']), valueOf(entry['value'] as Message | null)]));

function valueOf(value: Message | null): OtelValue {
  if (value === null) return null;
  const has = (member: string): boolean => Object.hasOwn(value, member);
  if (has('stringValue')) return value['stringValue'] as string;
  if (has('boolValue')) return value['boolValue'] as boolean;
  if (has('intValue')) {
    const integer = big(value['intValue']);
    return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
  }
  if (has('doubleValue')) return value['doubleValue'] as number;
  if (has('arrayValue')) return list((value['arrayValue'] as Message)['values']).map(valueOf);
  if (has('kvlistValue')) return mapOf((value['kvlistValue'] as Message)['values']);
  if (has('bytesValue')) return new Uint8Array(value['bytesValue'] as Uint8Array);
  return null;
}
