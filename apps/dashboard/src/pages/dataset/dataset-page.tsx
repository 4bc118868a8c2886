import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import type { DatasetResource } from '@spandrel/contract';
import { formatCount, formatCounted } from '@spandrel/contract/browser';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { isNotFound } from '../../api/api-error.js';
import { EmptyState, FaultNotice, PageHeading } from '../../components/page-parts.js';
import { TabList, tabId } from '../../components/tab-list.js';
import { datasetAddress } from '../../features/addresses.js';
import { rememberList, useWayUp } from '../../features/list/list-memory.js';
import { DatapointsTab } from './datapoints-tab.js';
import { DATASET_TABS, type DatasetSearch, type DatasetTab } from './dataset-search.js';
import { RulesTab } from './rules-tab.js';
import { RunsTab } from './runs-tab.js';
import { useDataset } from './use-dataset.js';
import { deleteDataset, updateDataset } from '../../api/dataset.js';
import { keys } from '../../api/keys.js';
import { Button } from '../../components/button.js';
import { ConfirmDialog } from '../../components/dialog.js';
import { notify, notifyError } from '../../components/notify.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { DatasetDialog } from '../../features/dataset-dialog.js';
import { FactList } from '../../features/fact-list.js';
import styles from './dataset-page.module.css';

const route = getRouteApi('/datasets/$id');
const TAB_LABELS: Readonly<Record<DatasetTab, string>> = {
  datapoints: 'Datapoints',
  runs: 'Runs',
  rules: 'Capture rules',
};
const PANEL = 'dataset-panel';

/** `/datasets/:id`: the datapoints of a dataset, its runs and its capture rules. */
export function DatasetPage() {
  const { id } = route.useParams();
  const search: DatasetSearch = route.useSearch();
  const navigate = useNavigate();
  const change = useCallback(
    (next: DatasetSearch, isTyped = false) =>
      void navigate({ to: datasetAddress(id), search: next, replace: isTyped } as never),
    [navigate, id],
  );
  const { query, isDeleted, refresh } = useDataset(id);
  useWayUp(() => '/datasets', 'Dataset');
  useEffect(() => rememberList(datasetAddress(id), { ...search }));
  const tab = search.tab ?? 'datapoints';
  if (isNotFound(query.error)) return <DatasetNotFound />;
  if (query.data === undefined) {
    return (
      <>
        <PageHeading title="Dataset" />
        {query.error && (
          <FaultNotice
            title="The dataset could not be loaded"
            error={query.error}
            onRetry={() => void query.refetch()}
          />
        )}
      </>
    );
  }
  return (
    <>
      <DatasetHeader dataset={query.data} isDeleted={isDeleted} onChanged={refresh} />
      <TabList
        label="Dataset"
        items={DATASET_TABS.map((one) => ({ id: one, label: TAB_LABELS[one] }))}
        selected={tab}
        panelId={PANEL}
        onSelect={(next) => change(withTab(search, next))}
      />
      <div id={PANEL} role="tabpanel" aria-labelledby={tabId(PANEL, tab)} className={styles.panel}>
        {tab === 'datapoints' && (
          <DatapointsTab key={id} dataset={query.data} search={search} onSearch={change} onChanged={refresh} />
        )}
        {tab === 'runs' && <RunsTab key={id} datasetId={id} />}
        {tab === 'rules' && <RulesTab key={id} datasetId={id} />}
      </div>
    </>
  );
}

function withTab({ tab: _before, ...search }: DatasetSearch, tab: DatasetTab): DatasetSearch {
  return tab === 'datapoints' ? search : { ...search, tab };
}

function DatasetNotFound() {
  return (
    <>
      <PageHeading title="Dataset not found" />
      <EmptyState title="There is no such dataset in this project" action={<Link to="/datasets">Go to Datasets</Link>}>
        <p>It may have been deleted, or its address may have been cut.</p>
      </EmptyState>
    </>
  );
}

export interface DatasetHeaderProps {
  dataset: DatasetResource;
  isDeleted: boolean;
  onChanged(): void;
}

/** Name and description of a dataset, and what is done with the whole of it. */
export function DatasetHeader({ dataset, isDeleted, onChanged }: DatasetHeaderProps) {
  const [asked, setAsked] = useState<'edit' | 'delete' | null>(null);
  const close = (): void => setAsked(null);
  useShortcuts(
    isDeleted
      ? []
      : [
          { keys: '', label: 'Edit dataset', writes: true, group: 'Dataset', run: () => setAsked('edit') },
          { keys: '', label: 'Delete dataset', writes: true, group: 'Dataset', run: () => setAsked('delete') },
        ],
  );
  return (
    <header className={styles.header}>
      <PageHeading title={dataset.name}>
        <span className={styles.actions}>
          <Button writes disabled={isDeleted} onClick={() => setAsked('edit')}>
            Edit
          </Button>
          <Button writes icon="trash" variant="danger" disabled={isDeleted} onClick={() => setAsked('delete')}>
            Delete dataset
          </Button>
        </span>
      </PageHeading>
      {isDeleted && <p role="status">This dataset has been deleted. What is on screen is all that is left of it.</p>}
      {dataset.description !== null && (
        <p className={styles.description} dir="auto">
          {dataset.description}
        </p>
      )}
      <FactList
        label="Dataset facts"
        facts={[
          { name: 'Datapoints', value: formatCount(dataset.datapoint_count) },
          { name: 'Version', value: formatCount(dataset.version) },
        ]}
      />
      {asked === 'edit' && (
        <DatasetDialog
          title="Edit dataset"
          action="Save"
          initial={dataset}
          save={(text) => updateDataset(dataset.id, text)}
          onSaved={onChanged}
          onClose={close}
        />
      )}
      {asked === 'delete' && <DeleteDataset dataset={dataset} onClose={close} />}
    </header>
  );
}

/** Asks whether the dataset shall be deleted, deletes it, and leads back to the list. */
function DeleteDataset({ dataset, onClose }: { dataset: DatasetResource; onClose(): void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const deletion = useMutation({
    mutationFn: () => deleteDataset(dataset.id),
    onSuccess: async () => {
      onClose();
      notify(`Deleted the dataset ${dataset.name}`);
      void queryClient.invalidateQueries({ queryKey: keys.datasets() });
      // The page goes first: it would fetch again what is removed under it.
      await navigate({ to: '/datasets' });
      queryClient.removeQueries({ queryKey: keys.dataset(dataset.id) });
    },
    onError: (error) => {
      onClose();
      notifyError('The dataset could not be deleted', error);
    },
  });
  return (
    <ConfirmDialog
      title="Delete dataset?"
      action="Delete"
      isBusy={deletion.isPending}
      onConfirm={() => deletion.mutate()}
      onClose={onClose}
    >
      <p>
        {formatCounted(dataset.datapoint_count, 'datapoint')}, its runs, its capture rules and its review queue go with
        it. This cannot be undone.
      </p>
    </ConfirmDialog>
  );
}
