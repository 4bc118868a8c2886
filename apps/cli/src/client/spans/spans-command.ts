import { listSpansInViewSchema, type SpanOutline, type SpanResource } from '@spandrel/contract';
import type { ClientProgram } from '../client-command.js';
import { addListed, PREVIEW_COLUMNS } from '../list/list-command.js';
import { statusStyle, type Column } from '../output/table.js';
import { costText, countText, durationText, timeText } from '../output/units.js';

type ShownSpan = SpanOutline | SpanResource;

/** @returns `failed` too, where the wire has an object. */
export const readStatus = ({ status }: ShownSpan): string => (typeof status === 'string' ? status : 'failed');

/** @returns what the service adds to a finished span; `null` where it is not known. */
export function readAmounts({ metadata }: ShownSpan) {
  const amount = (name: string): number | null => {
    const value = metadata[name];
    // A number of many digits comes as they were written.
    const number = JSON.isRawJSON(value) ? Number(value.rawJSON) : value;
    return typeof number === 'number' ? number : null;
  };
  return { durationMs: amount('duration_ms'), tokens: amount('total_tokens'), cost: amount('cost') };
}

/** @returns the kind, and the model where it has one: `llm_call gpt-4o`. */
export function kindText({ kind }: ShownSpan): string {
  const { type, model } = kind;
  return typeof model === 'string' ? `${type} ${model}` : type;
}

const spanColumns = (isTerminal: boolean): readonly Column<ShownSpan>[] => [
  { title: 'ID', text: ({ id }) => id, style: () => 'cyan' },
  { title: 'TRACE', text: ({ trace_id: trace }) => trace, leaveOut: 5 },
  { title: 'STARTED', text: ({ started_at: at }) => timeText(at, isTerminal), leaveOut: 4 },
  { title: 'STATUS', text: readStatus, style: (span) => statusStyle(readStatus(span)) },
  { title: 'KIND', text: kindText, shrinks: true },
  { title: 'DURATION', text: (span) => durationText(readAmounts(span).durationMs), align: 'right', leaveOut: 1 },
  { title: 'TOKENS', text: (span) => countText(readAmounts(span).tokens), align: 'right', leaveOut: 3 },
  { title: 'COST', text: (span) => costText(readAmounts(span).cost), align: 'right', leaveOut: 2 },
  { title: 'NAME', text: ({ name }) => name, shrinks: true },
  { title: 'ERROR', text: ({ error }) => error ?? '', style: () => 'red', shrinks: true, leaveOut: 6 },
];

export function addSpans(client: ClientProgram, description: string): void {
  addListed(client, description, {
    member: 'spans',
    schema: listSpansInViewSchema,
    columns: spanColumns,
    previews: PREVIEW_COLUMNS,
    // A table shows no texts, which are most of what a span holds.
    forTable: { view: 'outline' },
  });
}
