import type { DatapointPreview } from '@spandrel/contract';
import { formatScore, NONE } from '@spandrel/contract/browser';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { Time } from '../../components/time.js';
import type { OfferedColumns } from '../../features/columns/column-choice.js';
import { textColumn } from '../../features/columns/usual-columns.js';
import { DatapointLink } from '../../features/dataset-link.js';

/** Where a datapoint came from, in words. */
const SOURCE_WORDS: Readonly<Record<DatapointPreview['source'], string>> = {
  manual: 'Manual',
  span_export: 'Span export',
  file_upload: 'File upload',
};

/** Every column of the list of datapoints. @param zone zone of the times, shown in the header. */
export function datapointColumns(zone: string): GridColumn<DatapointPreview>[] {
  return [
    { id: 'input', header: 'Input', width: 200, grows: true, cell: (row) => <DatapointLink datapoint={row} /> },
    {
      ...textColumn<DatapointPreview>('expected', 'Expected', 160, ({ expected_preview: text }) => text ?? NONE),
      grows: true,
    },
    {
      ...textColumn<DatapointPreview>('actual', 'Actual', 160, ({ actual_preview: text }) => text ?? NONE),
      grows: true,
    },
    {
      id: 'score',
      header: 'Score',
      width: 64,
      align: 'end',
      cell: ({ score }) => <span title={score === null ? undefined : String(score)}>{formatScore(score)}</span>,
    },
    { id: 'source', header: 'Source', width: 96, cell: ({ source }) => SOURCE_WORDS[source] },
    { id: 'updated_at', header: 'Updated', note: zone, width: 136, cell: ({ updated_at }) => <Time at={updated_at} /> },
    { id: 'created_at', header: 'Created', width: 136, cell: ({ created_at }) => <Time at={created_at} /> },
    textColumn('kind', 'Kind', 104, ({ variant }) => (variant === 'Generic' ? 'Generic' : 'Conversation')),
  ];
}

const IDS = datapointColumns('').map(({ id }) => id);

/** Columns that the list offers, and those it has when nobody chose. */
export const DATAPOINT_COLUMNS: OfferedColumns = { all: IDS, usual: IDS.slice(0, IDS.indexOf('created_at')) };
