import type { SpanOutline } from '@spandrel/contract';
import { StatusBadge } from '../../components/badge.js';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { Time } from '../../components/time.js';
import { readColumns, type OfferedColumns } from '../../features/columns/column-choice.js';
import { costColumn, countColumn, durationColumn, textColumn } from '../../features/columns/usual-columns.js';
import { SpanLink } from '../../features/spans/span-link.js';
import { measureOf, modelOf, statusWordOf } from '../../features/spans/trace-span.js';

/** Every column of the list of spans. @param zone zone of the times, shown in the header. */
export function spanColumns(zone: string): GridColumn<SpanOutline>[] {
  return [
    { id: 'started_at', header: 'Started', note: zone, width: 136, cell: ({ started_at }) => <Time at={started_at} /> },
    { id: 'name', header: 'Name', width: 160, grows: true, cell: (span) => <SpanLink span={span} /> },
    textColumn('kind', 'Kind', 90, ({ kind }) => kind.type),
    textColumn('model', 'Model', 140, modelOf),
    { id: 'status', header: 'Status', width: 90, cell: (span) => <StatusBadge status={statusWordOf(span)} /> },
    durationColumn('duration', 'Duration', 90, (span) => measureOf(span, 'duration_ms')),
    countColumn('tokens', 'Tokens', 80, (span) => measureOf(span, 'total_tokens')),
    costColumn('cost', 'Cost', 80, (span) => measureOf(span, 'cost')),
    textColumn('provider', 'Provider', 100, ({ kind: { provider } }) =>
      typeof provider === 'string' ? provider : null,
    ),
    textColumn('error', 'Error', 280, ({ error }) => error),
    textColumn('input', 'Input', 280, ({ input_preview }) => input_preview),
    textColumn('output', 'Output', 280, ({ output_preview }) => output_preview),
    textColumn('ids', 'IDs', 320, ({ id, trace_id: trace }) => `${id} in ${trace}`),
  ];
}

const IDS = spanColumns('').map(({ id }) => id);

/** Columns that the list offers, and those it has when nobody chose. */
export const SPAN_COLUMNS: OfferedColumns = { all: IDS, usual: IDS.slice(0, IDS.indexOf('provider')) };

/** Characters of a text that fit into its column. */
const PREVIEWED = 120;

/** Characters of texts that are asked for with a choice of columns. */
export function previewOf(cols: string | undefined): number | undefined {
  const chosen = readColumns(cols, SPAN_COLUMNS) ?? [];
  return chosen.includes('input') || chosen.includes('output') ? PREVIEWED : undefined;
}
