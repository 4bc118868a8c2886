import { cutText, PREVIEW_CHARS } from './cut-text.js';
import { Invalid } from '@spandrel/kernel';
import { MAX_CHARS_MAX } from '../arguments/argument-schema.js';
import type { EvalRunSummary } from '@spandrel/contract';

/** Characters of each text that an answer keeps which has to fit: fewer are tried until it does. */
export const TEXT_CHARS = [PREVIEW_CHARS, 100, 40, 10, 0] as const;

const ITEMS_SHOWN = 20;

/** Longest id that this service makes or lets clients choose; sessions and users have longer ones. */
const ID_CHARS = 128;

/** Whether a member holds an id which other calls take: a cut one is of no use, and is shown where nothing else fits. */
const isKept = (name: string, value: unknown, chars: number): boolean =>
  typeof value === 'string' &&
  (name === 'id' || name.endsWith('_id')) &&
  (chars >= PREVIEW_CHARS || value.length <= ID_CHARS);

/** Leaves out members without a value, cuts texts to `chars`, ids not counted, and shows the beginning of long lists. */
export function slim(value: unknown, chars: number = PREVIEW_CHARS): unknown {
  if (typeof value === 'string') return cutText(value, chars);
  if (Array.isArray(value)) return slimList(value, chars);
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (isEmpty(member)) return [];
    return [[name, isKept(name, member, chars) ? member : slim(member, chars)] as const];
  });
  return Object.fromEntries(members);
}

function slimList(list: readonly unknown[], chars: number): unknown[] {
  const shown = list.slice(0, ITEMS_SHOWN).map((item) => slim(item, chars));
  return list.length > ITEMS_SHOWN ? [...shown, `… ${list.length - ITEMS_SHOWN} more`] : shown;
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (typeof value === 'object' && !JSON.isRawJSON(value) && Object.keys(value).length === 0);

/** The beginning of any value as text; `undefined` for none, which leaves the member out. */
export function previewOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  return cutText(typeof value === 'string' ? value : JSON.stringify(value), PREVIEW_CHARS);
}

/** The error of an answer of which not even the least fits. @param needed characters that it would take. */
export function tooSmall(needed: number): Invalid {
  const message =
    needed <= MAX_CHARS_MAX ? `must be at least ${needed} for this answer` : 'is too small for this answer';
  return new Invalid('validation_failed', `max_chars ${message}`, [{ path: 'max_chars', message }]);
}

export function runItem(run: Readonly<Record<string, unknown>>): object {
  const { config, scorers, gates, pass_rate, latency_ms: _latency, ...others } = run as unknown as EvalRunSummary;
  const { sample_cost: _cost, scorer_scores: _scores, ...shown } = others;
  return {
    ...shown,
    pass_rate: pass_rate?.mean,
    ...{ scoring: undefined, scoring_config: undefined },
    // A run that tries each datapoint once has as many samples as datapoints.
    ...(shown.repeats === 1 && { repeats: undefined, sample_progress: undefined, sample_total: undefined }),
    model: config.model,
    connection_id: config.connection_id,
    scorers: scorers.map(({ name }) => name),
    gates: gates.length > 0 ? `${gates.filter(({ passed }) => passed).length} of ${gates.length} hold` : undefined,
  };
}

/** A span as lists of tools show it: what its outline has, with numbers in members of their own. */
export function spanItem(outline: Readonly<Record<string, unknown>>): object {
  const { id, trace_id, parent_id, name, status, error, started_at, input_bytes, output_bytes } = outline;
  const metadata = (outline['metadata'] ?? {}) as Readonly<Record<string, unknown>>;
  const kind = (outline['kind'] ?? {}) as Readonly<Record<string, unknown>>;
  return {
    id,
    trace_id,
    parent_id,
    name,
    kind: kind['type'],
    model: kind['model'],
    provider: kind['provider'],
    status: typeof status === 'string' ? status : 'failed',
    error,
    started_at,
    duration_ms: metadata['duration_ms'],
    total_tokens: metadata['total_tokens'],
    cost: metadata['cost'],
    input_bytes,
    output_bytes,
    input_preview: outline['input_preview'],
    output_preview: outline['output_preview'],
    score: outline['score'],
    scores: outline['scores'],
  };
}
