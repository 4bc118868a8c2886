import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect } from 'react';
import { isNotFound } from '../../api/api-error.js';
import { EmptyState } from '../../components/empty-state.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { PageHeading } from '../../components/page-heading.js';
import { TabList, tabId } from '../../components/tabs/tab-list.js';
import { datasetAddress } from '../../features/dataset-link.js';
import { rememberList, useWayUp } from '../../features/list-memory.js';
import { DatapointsTab } from './datapoints-tab.js';
import { DatasetHeader } from './dataset-header.js';
import { DATASET_TABS, type DatasetSearch, type DatasetTab } from './dataset-search.js';
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
