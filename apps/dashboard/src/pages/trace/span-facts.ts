import { formatCount } from '@spandrel/contract/browser';
import type { TraceListItem } from '@spandrel/contract';
import {
  formatCost,
  formatCostExactly,
  formatDuration,
  formatDurationExactly,
  formatTime,
  formatTimeExactly,
  formatId,
  type Zone,
} from '../../components/format.js';
import type { Fact } from '../../features/fact-list.js';
import { kindWord } from '../../features/kind-words.js';
import { metadataText } from '../../features/metadata-text.js';
import { measureOf, statusWordOf, type TraceSpan } from '../../features/trace-span.js';
import { sessionAddress } from '../../features/addresses.js';

/** Facts of a span, without those that it does not have. @param details `null` while they are fetched. */
export function spanFacts(
  span: TraceSpan,
  details: { timeToFirstTokenMs: number | null; finishReason: string | null } | null,
): Fact[] {
  const { kind } = span;
  const duration = measureOf(span, 'duration_ms');
  const cost = measureOf(span, 'cost');
  const facts: (Fact | null)[] = [
    { name: 'Kind', value: kindWord(span) },
    textFact('Model', kind['model']),
    textFact('Provider', kind['provider']),
    countFact('Tokens in', kind['input_tokens']),
    countFact('Tokens out', kind['output_tokens']),
    countFact('Cached tokens', kind['cached_input_tokens']),
    countFact('Written to cache', kind['cache_write_tokens']),
    countFact('Reasoning tokens', kind['reasoning_tokens']),
    countFact('Audio tokens in', kind['input_audio_tokens']),
    countFact('Audio tokens out', kind['output_audio_tokens']),
    countFact('Image tokens in', kind['input_image_tokens']),
    countFact('Image tokens out', kind['output_image_tokens']),
    countFact('Web searches', kind['web_search_requests']),
    textFact('Service tier', kind['service_tier']),
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

const STATUS_WORDS = { running: 'Running', completed: 'Completed', failed: 'Failed' } as const;

/** Facts of a trace, without session, user, tags and metadata where it has none. @param zone zone of the times. */
export function traceFacts(trace: TraceListItem, zone: Zone): Fact[] {
  const startedAt = Date.parse(trace.started_at);
  const { unpriced_count: unpriced, total_cost: cost, duration_ms: duration } = trace;
  const facts: (Fact | null)[] = [
    { name: 'Status', value: STATUS_WORDS[trace.status] },
    { name: 'Started', value: formatTime(startedAt, zone), exact: formatTimeExactly(startedAt, zone) },
    { name: 'Duration', value: formatDuration(duration), exact: formatDurationExactly(duration) },
    {
      name: 'Cost',
      value: unpriced > 0 ? `${formatCost(cost)}, ${formatCount(unpriced)} unpriced` : formatCost(cost),
      exact: formatCostExactly(cost),
    },
    { name: 'Tokens', value: formatCount(trace.total_tokens) },
    { name: 'Spans', value: formatCount(trace.span_count) },
    { name: 'Errors', value: formatCount(trace.error_count) },
    idFact('Session', trace.session_id, sessionAddress),
    idFact('User', trace.user_id, () => '/traces', 'user_id'),
    trace.tags.length === 0
      ? null
      : {
          ...{ name: 'Tags', value: '' },
          links: trace.tags.map((tag) => ({ value: formatId(tag), to: '/traces', search: { tag } })),
        },
    ...metadataFacts(trace.metadata),
  ];
  return facts.filter((fact) => fact !== null);
}

/** Blanks at the ends of an id are shown by quotes. @param filter the search parameter there that has the id. */
function idFact(name: string, id: string | null, address: (id: string) => string, filter?: string): Fact | null {
  return id === null
    ? null
    : { name, value: formatId(id), to: address(id), ...(filter && { search: { [filter]: id } }) };
}

const METADATA_FACTS_MAX = 3;
const METADATA_LENGTH_MAX = 60;

/** The first members of a trace's metadata that are short. */
function metadataFacts(metadata: TraceListItem['metadata']): Fact[] {
  return Object.entries(metadata)
    .map(([name, value]) => ({ name, value: metadataText(value, 2) }))
    .filter(({ name, value }) => name.length + value.length <= METADATA_LENGTH_MAX)
    .slice(0, METADATA_FACTS_MAX);
}
