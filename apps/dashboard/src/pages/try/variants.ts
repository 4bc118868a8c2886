import type { ConnectionResource, RecordedCall, SpanResource, TryCall, TryEvent } from '@spandrel/contract';
import { commonParameters, listOf, objectOf } from '@spandrel/contract/browser';
import { FormFault } from '../../api/form-faults.js';

/** One answer of a variant, as far as it came. */
export interface ShownRun {
  id: string;
  state: 'running' | 'done' | 'failed';
  text: string;
  reasoning: string;
  toolCalls: readonly { name: string; arguments?: unknown; id?: string | null }[];
  error: string;
  facts: RunFacts | null;
}

export interface RunFacts {
  input_tokens: number | null;
  output_tokens: number | null;
  cost: number | null;
  latency_ms: number;
  time_to_first_token_ms: number | null;
}

/** What is asked in a column, and what came. Numbers are texts, since they may be half written. */
export interface Variant {
  key: number;
  connection: string;
  model: string;
  temperature: string;
  maxTokens: string;
  others: string;
  times: string;
  runs: readonly ShownRun[];
  fault: Error | null;
}

export const VARIANTS_MAX = 8;

const EMPTY: Omit<Variant, 'key'> = {
  ...{ connection: '', model: '', temperature: '', maxTokens: '', others: '', times: '1' },
  ...{ runs: [], fault: null },
};

/** A variant of a connection with what a recorded call was asked: what its own provider takes, or what all do. */
export function variantOf(key: number, connection: ConnectionResource | undefined, call: RecordedCall | null): Variant {
  if (!connection) return { ...EMPTY, key };
  const isSame = call?.provider === connection.provider;
  const {
    temperature,
    max_tokens: maxTokens,
    ...others
  } = call === null ? {} : isSame ? call.parameters : commonParameters(call.parameters);
  return {
    ...{ ...EMPTY, key, connection: connection.id },
    model: (isSame && call?.model) || (connection.default_model ?? ''),
    ...{ temperature: String(temperature ?? ''), maxTokens: String(maxTokens ?? '') },
    others: Object.keys(others).length === 0 ? '' : JSON.stringify(others),
  };
}

/** What a variant asks. @param tools JSON. @throws FormFault where its JSON is none. */
export function tryCallOf(variant: Variant, messages: TryCall['messages'], tools: string): TryCall {
  const { connection, model, temperature, maxTokens, others, times } = variant;
  return {
    connection_id: connection,
    ...(model.trim() !== '' && { model: model.trim() }),
    messages,
    parameters: {
      ...objectOf(jsonOf('parameters', others)),
      ...(temperature !== '' && { temperature: Number(temperature) }),
      ...(maxTokens !== '' && { max_tokens: Number(maxTokens) }),
    },
    tools: [...listOf(jsonOf('tools', tools))],
    ...(times !== '1' && times !== '' && { n: Number(times) }),
  };
}

function jsonOf(path: string, text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new FormFault(path, `The ${path} are not JSON.`);
  }
}

/** The runs of a variant after an event. */
export function withEvent(runs: readonly ShownRun[], event: TryEvent): readonly ShownRun[] {
  const last = runs.at(-1);
  const changed = (change: Partial<ShownRun>): readonly ShownRun[] =>
    last ? [...runs.slice(0, -1), { ...last, ...change }] : runs;
  switch (event.type) {
    case 'begun':
      return [...runs, runOf(event.span_id)];
    case 'delta':
      return changed({
        ...(event.text !== undefined && { text: last!.text + event.text }),
        ...(event.reasoning !== undefined && { reasoning: last!.reasoning + event.reasoning }),
        ...(event.tool_call !== undefined && { toolCalls: [...last!.toolCalls, { name: event.tool_call }] }),
      });
    case 'run':
      return changed({ ...answerOf(event.output), state: 'done', facts: event });
    case 'error':
      return changed({ state: 'failed', error: event.detail });
    case 'done':
      return runs;
  }
}

const runOf = (id: string): ShownRun => ({
  ...{ id, state: 'running', text: '', reasoning: '', toolCalls: [], error: '', facts: null },
});

function answerOf(output: unknown): Pick<ShownRun, 'text' | 'reasoning' | 'toolCalls'> {
  const { text, reasoning, tool_calls: calls } = objectOf(output);
  return {
    text: typeof text === 'string' ? text : '',
    reasoning: typeof reasoning === 'string' ? reasoning : '',
    toolCalls: listOf(calls) as ShownRun['toolCalls'],
  };
}

/** The variants of earlier tries: those that asked the same way are one. @param spans in the order in which they began. */
export function variantsOf(spans: readonly SpanResource[]): Variant[] {
  const variants = new Map<string, Variant>();
  for (const { id, kind, output, metadata, error, ...span } of spans) {
    const { connection_id: connection, request, time_to_first_token_ms: first } = objectOf(metadata);
    const { temperature, max_tokens: maxTokens, tools: _tools, ...others } = objectOf(request);
    const asked = JSON.stringify([connection, kind['model'], request]);
    const before = variants.get(asked) ?? {
      ...{ ...EMPTY, key: variants.size, connection: String(connection ?? ''), model: String(kind['model'] ?? '') },
      ...{ temperature: String(temperature ?? ''), maxTokens: String(maxTokens ?? '') },
      others: Object.keys(others).length === 0 ? '' : JSON.stringify(others),
    };
    const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
    const run: ShownRun = {
      ...{ ...runOf(id), ...answerOf(output), state: error ? 'failed' : 'done', error: error ?? '' },
      facts: {
        ...{ input_tokens: number(kind['input_tokens']), output_tokens: number(kind['output_tokens']) },
        ...{ cost: number(kind['cost']), time_to_first_token_ms: number(first) },
        latency_ms: Date.parse(span.ended_at ?? span.started_at) - Date.parse(span.started_at),
      },
    };
    variants.set(asked, { ...before, runs: [...before.runs, run] });
  }
  return [...variants.values()];
}
