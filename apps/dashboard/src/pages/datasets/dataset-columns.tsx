import type { DatasetResource } from '@spandrel/contract';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { Time } from '../../components/time.js';
import type { OfferedColumns } from '../../features/columns/column-choice.js';
import { countColumn, textColumn } from '../../features/columns/usual-columns.js';
import { DatasetLink } from '../../features/dataset-link.js';

/** Every column of the list of datasets. @param zone zone of the times, shown in the header. */
export function datasetColumns(zone: string): GridColumn<DatasetResource>[] {
  return [
    { id: 'name', header: 'Name', width: 200, grows: true, cell: (dataset) => <DatasetLink dataset={dataset} /> },
    countColumn('datapoint_count', 'Datapoints', 96, ({ datapoint_count }) => datapoint_count),
    countColumn('version', 'Version', 80, ({ version }) => version),
    { id: 'updated_at', header: 'Updated', note: zone, width: 136, cell: ({ updated_at }) => <Time at={updated_at} /> },
    textColumn('description', 'Description', 320, ({ description }) => description),
    { id: 'created_at', header: 'Created', width: 136, cell: ({ created_at }) => <Time at={created_at} /> },
  ];
}

const IDS = datasetColumns('').map(({ id }) => id);

/** Columns that the list offers, and those it has when nobody chose. */
export const DATASET_COLUMNS: OfferedColumns = { all: IDS, usual: IDS.slice(0, IDS.indexOf('description')) };
