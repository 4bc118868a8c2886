import type { DatapointRunResult } from '@spandrel/contract';
import { formatCount, formatScore, NONE } from '@spandrel/contract/browser';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CommentsButton } from '../../features/comments/comments-button.js';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Grid } from '../../components/grid/grid.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { Time } from '../../components/time.js';
import { NotFound } from '../../components/not-found.js';
import { FaultNotice, PageHeading, QueryFault } from '../../components/page-parts.js';
import { api } from '../../api/api.js';
import { isNotFound } from '../../api/api-error.js';
import { keys } from '../../api/keys.js';
import { datapointAddress, datasetAddress, runAddress } from '../../features/addresses.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import { costColumn, durationColumn, textColumn } from '../../features/columns/usual-columns.js';
import { RunLink } from '../../features/links.js';
import { wholeCost } from '../../features/runs/tries.js';
import { gridRows, useFilteredList } from '../../features/list/use-paged-list.js';
import { titleOfDatapoint } from '../../features/datapoint/datapoint-text.js';
import { useWayUp } from '../../features/list/way-up.js';
import { Neighbours } from '../../features/list/neighbours.js';
import { DatapointEditor } from './datapoint-editor.js';

const route = getRouteApi('/datasets/$id/datapoints/$dp');
/** Stands in addresses where there is no datapoint yet; ids are never so short. */
const NEW = 'new';

/** `/datasets/:id/datapoints/:dp`: one datapoint, to be read and changed, or a new one. */
export function DatapointPage() {
  const { id, dp: named } = route.useParams();
  // The editor of a new one goes on with it, even before the address is its own.
  const [made, setMade] = useState<string>();
  const dp = named === NEW ? (made ?? NEW) : named;
  const isNew = dp === NEW;
  const dataset = useQuery({
    queryKey: keys.dataset(id),
    queryFn: ({ signal }) => api.getDataset({ path: { id }, signal }),
  });
  const query = useQuery({
    queryKey: keys.datapoint(id, dp),
    queryFn: ({ signal }) => api.getDatapoint({ path: { id, dp_id: dp }, signal }),
    enabled: !isNew,
  });
  const wayUp = useWayUp(datasetAddress(id), 'Datapoint', dataset.data?.name);
  const error = dataset.error ?? query.error;
  if (isNotFound(error)) {
    const what = isNotFound(dataset.error) ? 'Dataset' : 'Datapoint';
    return <NotFound what={what} back={what === 'Dataset' ? <Link to="/datasets">Go to Datasets</Link> : wayUp} />;
  }
  const title = query.data === undefined ? (isNew ? 'New datapoint' : 'Datapoint') : titleOfDatapoint(query.data);
  const retry = (): void => void (dataset.error ? dataset.refetch() : query.refetch());
  return (
    <>
      {wayUp}
      <PageHeading title={title}>
        {!isNew && <CommentsButton target={{ target_type: 'datapoint', target_id: dp, parent_id: id }} />}
        {!isNew && (
          <Neighbours id={dp} one="datapoint" labelOf={(step) => step} addressOf={(to) => datapointAddress(id, to)} />
        )}
      </PageHeading>
      {error && <FaultNotice title="The datapoint could not be loaded" error={error} onRetry={retry} />}
      {(isNew || query.data !== undefined) && (
        <DatapointEditor
          key={dp === made ? NEW : dp}
          datasetId={id}
          datapoint={isNew ? null : query.data!}
          onMade={setMade}
        />
      )}
      {query.data !== undefined && <DatapointHistory key={`history ${dp}`} datasetId={id} id={dp} />}
    </>
  );
}

function DatapointHistory({ datasetId, id }: { datasetId: string; id: string }) {
  const navigate = useNavigate();
  const { list, shownKey } = useFilteredList<DatapointRunResult>({
    ...{ name: 'results of a datapoint', filters: { datasetId, id }, queryAt: () => ({}) },
    ...{ operation: 'listDatapointResults', path: { id: datasetId, dp_id: id }, idOf: ({ run_id: run }) => run },
  });
  return (
    <section aria-label="Results by run">
      <h2>Results by run</h2>
      <QueryFault title="The results could not be loaded" query={list} />
      {!list.isWaiting && list.error === null && list.length === 0 && <p>No run has a result of this datapoint yet.</p>}
      {list.length > 0 && (
        <Grid<DatapointRunResult>
          label="Results by run"
          listKey={shownKey}
          columns={historyColumns(id)}
          {...gridRows(list)}
          onOpen={({ run_id: run }) => void navigate({ to: runAddress(run), search: { item: id } as never })}
        />
      )}
    </section>
  );
}

const historyColumns = (item: string): GridColumn<DatapointRunResult>[] => [
  cellColumn('run', 'Run', { width: 160, grows: 560 }, ({ run_id: id, run_name: name }) => (
    <RunLink run={{ id, name }} item={item} />
  )),
  textColumn('model', 'Model', 120, ({ model }) => model),
  cellColumn('score', 'Score', { width: 64, align: 'end' }, ({ score }) => formatScore(score)),
  cellColumn('passed', 'Passed', 72, ({ passed }) => (passed === null ? NONE : passed ? 'Yes' : 'No')),
  cellColumn('worst', 'Worst try', 96, ({ worst_repeat: worst, worst_score: score }) =>
    worst === null ? NONE : `${formatScore(score)}, try ${formatCount(worst + 1)}`,
  ),
  costColumn('cost', 'Cost', 80, wholeCost),
  durationColumn('latency', 'Latency', 80, ({ latency_ms: ms }) => ms),
  cellColumn('started', 'Started', 136, ({ created_at: at }) => <Time at={at} />),
];
