import type { SpanKind } from '@spandrel/contract';
import type { OtelSpan, SpanReading } from '@spandrel/plugin-api';
import { providerName } from './provider-name.js';
import type { SpanUsage } from './span-usage.js';
import { storableKey, storableName } from './storable-text.js';

const UNKNOWN_MODEL = 'unknown';

/** The kind of a span with its model, provider and usage (docs/spec/otlp.md#kinds). */
export function spanKind(span: OtelSpan, reading: SpanReading, usage: SpanUsage | null): SpanKind {
  const told = reading.model ?? reading.responseModel;
  const model = told === undefined ? undefined : storableKey(told);
  const provider = reading.provider === undefined ? undefined : providerName(reading.provider);
  const { kind } = reading;
  switch (kind?.type) {
    case 'llm_call':
      return { type: 'llm_call', model: model || UNKNOWN_MODEL, provider: provider ?? null, ...NO_COUNTS, ...usage };
    case 'embedding':
      return { type: 'embedding', model: model || UNKNOWN_MODEL, provider: provider ?? null, ...usage };
    case 'retrieval':
      return { type: 'retrieval', ...named(model, provider), ...usage };
    case 'tool_call':
      return {
        type: 'tool_call',
        name: storableName(textOr(kind.name, span.name)),
        call_id: typeof kind.callId === 'string' && kind.callId !== '' ? storableName(kind.callId) : null,
        ...(typeof kind.toolType === 'string' && { tool_type: storableName(kind.toolType) }),
        ...named(model, provider),
        ...usage,
      };
    default: {
      const name = kind?.name;
      return {
        type: 'custom',
        kind: storableKey(textOr(kind?.kind, kindWithoutDialect(span))),
        ...(typeof name === 'string' && name !== '' && { name: storableName(name) }),
        attributes: {},
        ...named(model, provider),
        ...usage,
      };
    }
  }
}

const NO_COUNTS = { input_tokens: null, output_tokens: null };

function named(model: string | undefined, provider: string | undefined): Record<string, string> {
  return { ...(model !== undefined && { model }), ...(provider !== undefined && { provider }) };
}

const textOr = <Other>(value: unknown, other: Other): string | Other =>
  typeof value === 'string' && value !== '' ? value : other;

/** What a span that no dialect knows is about, by the attribute that its conventions require. */
function kindWithoutDialect({ attributes }: OtelSpan): string {
  for (const [name, kind] of OTHER_KINDS) if (attributes.has(name)) return kind;
  return 'span';
}

const OTHER_KINDS: readonly (readonly [string, string])[] = [
  ['http.request.method', 'http'],
  ['http.method', 'http'],
  ['db.system.name', 'db'],
  ['db.system', 'db'],
  ['rpc.system', 'rpc'],
  ['rpc.system.name', 'rpc'],
  ['messaging.system', 'messaging'],
];
