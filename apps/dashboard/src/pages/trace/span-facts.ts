import { formatCount } from '@spandrel/contract/browser';
import { formatCost, formatCostExactly } from '../../components/format/format-cost.js';
import { formatDuration, formatDurationExactly } from '../../components/format/format-duration.js';
import type { Fact } from '../../features/facts/fact.js';
import { measureOf, statusWordOf, type TraceSpan } from '../../features/spans/trace-span.js';

/** What is known of a span's call beyond its outline. */
export interface CallDetails {
  timeToFirstTokenMs: number | null;
  finishReason: string | null;
}

/** Facts of a span, without those that it does not have. @param details `null` while they are fetched. */
export function spanFacts(span: TraceSpan, details: CallDetails | null): Fact[] {
  const { kind } = span;
  const duration = measureOf(span, 'duration_ms');
  const cost = measureOf(span, 'cost');
  const facts: (Fact | null)[] = [
    { name: 'Kind', value: kind.type },
    textFact('Model', kind['model']),
    textFact('Provider', kind['provider']),
    countFact('Tokens in', kind['input_tokens']),
    countFact('Tokens out', kind['output_tokens']),
    countFact('Cached tokens', kind['cached_input_tokens']),
    countFact('Reasoning tokens', kind['reasoning_tokens']),
    cost === null ? null : { name: 'Cost', value: formatCost(cost), exact: formatCostExactly(cost) },
    statusWordOf(span) === 'running' ? { name: 'Duration', value: 'Running' } : durationFact('Duration', duration),
    durationFact('Time to first token', details?.timeToFirstTokenMs ?? null),
    textFact('Finish reason', details?.finishReason),
  ];
  return facts.filter((fact) => fact !== null);
}

function textFact(name: string, value: unknown): Fact | null {
  return typeof value === 'string' && value !== '' ? { name, value } : null;
}

function countFact(name: string, value: unknown): Fact | null {
  return typeof value === 'number' ? { name, value: formatCount(value) } : null;
}

function durationFact(name: string, ms: number | null): Fact | null {
  return ms === null ? null : { name, value: formatDuration(ms), exact: formatDurationExactly(ms) };
}

/** Tokens of a span as the columns show them: `1,200 → 34`, or their sum where only that is known. */
export function tokensText(span: Pick<TraceSpan, 'kind' | 'metadata'>): string {
  const { input_tokens: tokensIn, output_tokens: tokensOut } = span.kind;
  if (typeof tokensIn === 'number' && typeof tokensOut === 'number') {
    return `${formatCount(tokensIn)} → ${formatCount(tokensOut)}`;
  }
  return formatCount(measureOf(span, 'total_tokens'));
}
