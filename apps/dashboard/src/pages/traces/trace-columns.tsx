import type { TraceListItem } from '@spandrel/contract';
import { formatCount } from '@spandrel/contract/browser';
import { StatusBadge } from '../../components/badge.js';
import { formatCost, formatCostExactly } from '../../components/format/format-cost.js';
import { formatDuration, formatDurationExactly } from '../../components/format/format-duration.js';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { Time } from '../../components/time.js';
import { TraceLink } from '../../features/trace-link.js';
import { readColumns, type OfferedColumns } from '../../features/columns/column-choice.js';

type TraceColumn = GridColumn<TraceListItem>;

/** Every column of the list of traces. @param zone zone of the times, shown in the header. */
export function traceColumns(zone: string): TraceColumn[] {
  return [
    { id: 'started_at', header: 'Started', note: zone, width: 136, cell: ({ started_at }) => <Time at={started_at} /> },
    { id: 'name', header: 'Name', width: 220, grows: true, cell: (trace) => <TraceLink trace={trace} /> },
    { id: 'status', header: 'Status', width: 90, cell: ({ status }) => <StatusBadge status={status} /> },
    number('duration_ms', 'Duration', 76, ({ duration_ms }) => (
      <span title={formatDurationExactly(duration_ms)}>{formatDuration(duration_ms)}</span>
    )),
    number('span_count', 'Spans', 56, ({ span_count }) => formatCount(span_count)),
    number('total_tokens', 'Tokens', 68, ({ total_tokens }) => formatCount(total_tokens)),
    number('total_cost', 'Cost', 72, ({ total_cost }) => (
      <span title={formatCostExactly(total_cost)}>{formatCost(total_cost)}</span>
    )),
    text('models', 'Models', 104, ({ models }) => models.join(', ')),
    text('tags', 'Tags', 88, ({ tags }) => tags.join(', ')),
    text('session_id', 'Session', 140, ({ session_id }) => session_id),
    text('user_id', 'User', 120, ({ user_id }) => user_id),
    number('error_count', 'Errors', 60, ({ error_count }) => formatCount(error_count)),
    text('id', 'Trace ID', 240, ({ id }) => id),
    text('input', 'Input', 280, ({ input_preview }) => input_preview ?? null),
    text('output', 'Output', 280, ({ output_preview }) => output_preview ?? null),
  ];
}

/** Characters of a text that fit into its column. */
const PREVIEWED = 120;

/** Characters of texts that are asked for with a choice of columns. */
export function previewOf(cols: string | undefined): number | undefined {
  const chosen = readColumns(cols, TRACE_COLUMNS) ?? [];
  return chosen.includes('input') || chosen.includes('output') ? PREVIEWED : undefined;
}

const IDS = traceColumns('').map(({ id }) => id);

/** Columns that the list offers, and those it has when nobody chose. */
export const TRACE_COLUMNS: OfferedColumns = {
  all: IDS,
  usual: IDS.slice(0, IDS.indexOf('session_id')),
};

function number(id: string, header: string, width: number, cell: TraceColumn['cell']): TraceColumn {
  return { id, header, width, align: 'end', cell };
}

/** Recorded texts may be written from right to left. */
function text(id: string, header: string, width: number, of: (trace: TraceListItem) => string | null): TraceColumn {
  return { id, header, width, cell: (trace) => <bdi title={of(trace) ?? undefined}>{of(trace)}</bdi> };
}
