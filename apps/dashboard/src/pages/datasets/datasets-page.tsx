import type { DatasetResource } from '@spandrel/contract';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { createDescribedDataset, listDatasetPage } from '../../api/dataset.js';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { zoneName } from '../../components/format/format-time.js';
import { PageHeading } from '../../components/page-heading.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useListColumns } from '../../features/columns/use-list-columns.js';
import { DatasetDialog } from '../../features/dataset-form/dataset-dialog.js';
import { datasetAddress } from '../../features/dataset-link.js';
import type { ListSearch } from '../../features/filters/list-search.js';
import { rememberList } from '../../features/list-memory.js';
import { ListedGrid } from '../../features/list-page/listed-grid.js';
import { useLiveList } from '../../features/live-list/use-live-list.js';
import { describeCount } from '../../features/paged-list/describe-count.js';
import { useFilteredList } from '../../features/paged-list/use-filtered-list.js';
import { DATASET_COLUMNS, datasetColumns } from './dataset-columns.js';
import { datasetNews } from './dataset-news.js';
import { DATASETS_PARAMETERS } from './datasets-search.js';

const route = getRouteApi('/datasets');
const NOTHING_WRITTEN = { name: '', description: null };

/** The list of datasets. */
export function DatasetsPage() {
  const search: ListSearch = route.useSearch();
  const navigate = useNavigate();
  const change = useCallback(
    (next: ListSearch, isTyped = false) => void navigate({ to: '/datasets', search: next, replace: isTyped }),
    [navigate],
  );
  const { list, live, shownKey } = useDatasetList();
  const { times } = usePreferences();
  const all = useMemo(() => datasetColumns(zoneName(Date.now(), times)), [times]);
  const columns = useListColumns<DatasetResource, ListSearch>({
    ...{ list: 'datasets', columns: all, offered: DATASET_COLUMNS, search, onChange: change },
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
      {list.error !== null && (
        <FaultNotice title="Datasets could not be loaded" error={list.error} onRetry={list.retry} />
      )}
      {isEmpty ? (
        <EmptyState title="No datasets yet" action={newDataset}>
          <p>A dataset holds the cases that a model is tested with: from recorded calls, from a file, or typed in.</p>
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
          save={createDescribedDataset}
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
    fetch: listDatasetPage,
    idOf: ({ id }) => id,
  });
  const live = useLiveList(
    found,
    {
      read: datasetNews,
      // The list has no filter by ids; its first page is read anew.
      byIds: () => Promise.resolve([]),
      recount: () => undefined,
    },
    true,
  );
  return { ...found, live };
}
