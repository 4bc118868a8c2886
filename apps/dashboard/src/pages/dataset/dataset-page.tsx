import type { DatasetResource } from '@spandrel/contract';
import { formatCount, formatCounted } from '@spandrel/contract/browser';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { PageActions } from '../../components/page-actions.js';
import { NotFound } from '../../components/not-found.js';
import { QueryFault, PageHeading } from '../../components/page-parts.js';
import { ConfirmAction } from '../../features/dialogs.js';
import { api } from '../../api/api.js';
import { isNotFound } from '../../api/api-error.js';
import { TabList, TabPanel } from '../../components/tab-list.js';
import { datasetAddress } from '../../features/addresses.js';
import { rememberList } from '../../features/list/list-memory.js';
import { useWayUp } from '../../features/list/way-up.js';
import { keys } from '../../api/keys.js';
import { DatasetDialog } from '../../features/dataset-dialog.js';
import { FactList } from '../../features/fact-list.js';
import { usePageSearch } from '../../features/use-page-search.js';
import { DatapointsTab } from './datapoints-tab.js';
import { DATASET_TABS, readDatasetSearch, type DatasetSearch, type DatasetTab } from './dataset-search.js';
import { RulesTab } from './rules-tab.js';
import { RunsTab } from './runs-tab.js';
import { useDataset } from './use-dataset.js';
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
  const search = usePageSearch(readDatasetSearch);
  const navigate = useNavigate();
  const change = useCallback(
    (next: DatasetSearch, isTyped = false) =>
      void navigate({ to: datasetAddress(id), search: next, replace: isTyped } as never),
    [navigate, id],
  );
  const { query, isDeleted, refresh } = useDataset(id);
  const wayUp = useWayUp('/datasets', 'Dataset');
  useEffect(() => rememberList(datasetAddress(id), { ...search }));
  const tab = search.tab ?? 'datapoints';
  if (isNotFound(query.error)) return <NotFound what="Dataset" back={<Link to="/datasets">Go to Datasets</Link>} />;
  if (query.data === undefined) {
    return (
      <>
        {wayUp}
        <PageHeading title="Dataset" />
        <QueryFault title="The dataset could not be loaded" query={query} />
      </>
    );
  }
  return (
    <>
      {wayUp}
      <DatasetHeader dataset={query.data} isDeleted={isDeleted} onChanged={refresh} />
      <TabList
        label="Dataset"
        items={DATASET_TABS.map((one) => ({ id: one, label: TAB_LABELS[one] }))}
        selected={tab}
        panelId={PANEL}
        onSelect={(next) => change(withTab(search, next))}
      />
      <TabPanel id={PANEL} tab={tab}>
        {tab === 'datapoints' && (
          <DatapointsTab key={id} dataset={query.data} search={search} onSearch={change} onChanged={refresh} />
        )}
        {tab === 'runs' && <RunsTab key={id} datasetId={id} />}
        {tab === 'rules' && <RulesTab key={id} datasetId={id} />}
      </TabPanel>
    </>
  );
}

function withTab({ tab: _before, ...search }: DatasetSearch, tab: DatasetTab): DatasetSearch {
  return tab === 'datapoints' ? search : { ...search, tab };
}

interface DatasetHeaderProps {
  dataset: DatasetResource;
  isDeleted: boolean;
  onChanged(): void;
}

function DatasetHeader({ dataset, isDeleted, onChanged }: DatasetHeaderProps) {
  const [asked, setAsked] = useState<'edit' | 'delete' | null>(null);
  const close = (): void => setAsked(null);
  return (
    <header className="stack">
      <PageHeading title={dataset.name}>
        <span className="row">
          <PageActions
            group="Dataset"
            actions={[
              {
                ...{ label: 'Edit dataset', short: 'Edit', writes: true, disabled: isDeleted },
                run: () => setAsked('edit'),
              },
              {
                ...{ label: 'Delete dataset', icon: 'trash', variant: 'danger', writes: true, disabled: isDeleted },
                run: () => setAsked('delete'),
              },
            ]}
          />
        </span>
      </PageHeading>
      {isDeleted && <p role="status">This dataset has been deleted. Only what is on screen is left.</p>}
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
          save={(text) => api.updateDataset({ path: { id: dataset.id }, body: text })}
          onSaved={onChanged}
          onClose={close}
        />
      )}
      {asked === 'delete' && <DeleteDataset dataset={dataset} onClose={close} />}
    </header>
  );
}

function DeleteDataset({ dataset, onClose }: { dataset: DatasetResource; onClose(): void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const leave = async (): Promise<void> => {
    void queryClient.invalidateQueries({ queryKey: keys.datasets() });
    // The page goes first: it would fetch again what is removed under it.
    await navigate({ to: '/datasets' });
    queryClient.removeQueries({ queryKey: keys.dataset(dataset.id) });
  };
  return (
    <ConfirmAction
      title="Delete dataset?"
      action="Delete"
      act={() => api.deleteDataset({ path: { id: dataset.id } })}
      onDone={() => void leave()}
      done={`Deleted the dataset ${dataset.name}`}
      failed="The dataset could not be deleted"
      onClose={onClose}
    >
      <p>
        This deletes its {formatCounted(dataset.datapoint_count, 'datapoint')}, runs, capture rules and review queue. It
        cannot be undone.
      </p>
    </ConfirmAction>
  );
}
