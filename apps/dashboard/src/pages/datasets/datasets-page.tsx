import type { DatasetResource } from '@spandrel/contract';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { QueryFault, EmptyState, PageHeading } from '../../components/page-parts.js';
import { api } from '../../api/api.js';
import { Button } from '../../components/button.js';
import { useListColumns } from '../../features/columns/use-list-columns.js';
import { DatasetDialog } from '../../features/dataset-dialog.js';
import { datasetAddress } from '../../features/addresses.js';
import { DatasetLink } from '../../features/links.js';
import type { ListSearch } from '../../features/filters/list-search.js';
import { rememberList } from '../../features/list/list-memory.js';
import { ListedGrid } from '../../features/list/list-page.js';
import { useLiveList } from '../../features/list/use-live-list.js';
import { describeCount } from '../../features/list/list-rules.js';
import { useFilteredList } from '../../features/list/use-paged-list.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { Time } from '../../components/time.js';
import type { OfferedColumns } from '../../features/columns/column-choice.js';
import { countColumn, textColumn } from '../../features/columns/usual-columns.js';
import { usePageSearch } from '../../features/use-page-search.js';
import { datasetChanges, DATASETS_PARAMETERS, readDatasetsSearch } from './datasets-search.js';

const NOTHING_WRITTEN = { name: '', description: null };

/** The list of datasets. */
export function DatasetsPage() {
  const search = usePageSearch(readDatasetsSearch);
  const navigate = useNavigate();
  const change = useCallback(
    (next: ListSearch, isTyped = false) => void navigate({ to: '/datasets', search: next, replace: isTyped }),
    [navigate],
  );
  const { list, live, shownKey } = useDatasetList();
  const columns = useListColumns<DatasetResource, ListSearch>({
    ...{ list: 'datasets', columnsIn: datasetColumns, offered: DATASET_COLUMNS, search, onChange: change },
    sorts: DATASETS_PARAMETERS.sorts,
  });
  const [isCreating, setIsCreating] = useState(false);
  useEffect(() => rememberList('/datasets', { ...search }));
  const isEmpty = !list.isWaiting && list.error === null && list.length === 0;
  const newDataset = (
    <Button writes variant="primary" icon="plus" onClick={() => setIsCreating(true)}>
      New dataset
    </Button>
  );
  return (
    <>
      <PageHeading title="Datasets">{!isEmpty && newDataset}</PageHeading>
      <QueryFault title="Datasets could not be loaded" query={list} />
      {isEmpty ? (
        <EmptyState title="No datasets yet" action={newDataset}>
          <p>A dataset holds test cases for a model: from recorded calls, from a file, or typed in.</p>
        </EmptyState>
      ) : (
        <ListedGrid<DatasetResource>
          label="Datasets"
          one="dataset"
          count={describeCount(list, null, 'dataset')}
          {...{ list, live, columns, shownKey }}
          onOpen={({ id }) => void navigate({ to: datasetAddress(id) })}
          isDeleted={({ id }) => live.deleted.has(id)}
        />
      )}
      {isCreating && (
        <DatasetDialog
          title="New dataset"
          action="Create"
          initial={NOTHING_WRITTEN}
          save={(text) => api.createDataset({ body: text })}
          onSaved={({ id }) => void navigate({ to: datasetAddress(id) })}
          onClose={() => setIsCreating(false)}
        />
      )}
    </>
  );
}

function useDatasetList() {
  const found = useFilteredList<DatasetResource>({
    name: 'dataset-list',
    filters: {},
    queryAt: () => ({}),
    operation: 'listDatasets',
    idOf: ({ id }) => id,
  });
  return { ...found, live: useLiveList(found, { changes: datasetChanges }, true) };
}

function datasetColumns(zone: string): GridColumn<DatasetResource>[] {
  return [
    { id: 'name', header: 'Name', width: 200, grows: 560, cell: (dataset) => <DatasetLink dataset={dataset} /> },
    countColumn('datapoint_count', 'Datapoints', 96, ({ datapoint_count }) => datapoint_count),
    countColumn('version', 'Version', 80, ({ version }) => version),
    { id: 'updated_at', header: 'Updated', note: zone, width: 136, cell: ({ updated_at }) => <Time at={updated_at} /> },
    textColumn('description', 'Description', 320, ({ description }) => description),
    { id: 'created_at', header: 'Created', width: 136, cell: ({ created_at }) => <Time at={created_at} /> },
  ];
}

const IDS = datasetColumns('').map(({ id }) => id);

const DATASET_COLUMNS: OfferedColumns = { all: IDS, usual: IDS.slice(0, IDS.indexOf('description')) };
