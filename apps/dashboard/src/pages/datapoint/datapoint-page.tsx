import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { NotFound } from '../../components/not-found.js';
import { FaultNotice, PageHeading } from '../../components/page-parts.js';
import { api } from '../../api/api.js';
import { isNotFound } from '../../api/api-error.js';
import { keys } from '../../api/keys.js';
import { datapointAddress, datasetAddress } from '../../features/addresses.js';
import { titleOfDatapoint } from '../../features/datapoint/datapoint-text.js';
import { useWayUp } from '../../features/list/list-memory.js';
import { Neighbours } from '../../features/list/neighbours.js';
import { DatapointEditor } from './datapoint-editor.js';

const route = getRouteApi('/datasets/$id/datapoints/$dp');
/** Stands in addresses where there is no datapoint yet; ids are never so short. */
const NEW = 'new';

/** `/datasets/:id/datapoints/:dp`: one datapoint, to be read and changed, or a new one. */
export function DatapointPage() {
  const { id, dp } = route.useParams();
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
  useWayUp(() => datasetAddress(id), 'Datapoint');
  const back = (
    <Link to={datasetAddress(id)}>{dataset.data ? `Back to ${dataset.data.name}` : 'Back to the dataset'}</Link>
  );
  const error = dataset.error ?? query.error;
  if (isNotFound(error)) {
    const what = isNotFound(dataset.error) ? 'Dataset' : 'Datapoint';
    return <NotFound what={what} back={what === 'Dataset' ? <Link to="/datasets">Go to Datasets</Link> : back} />;
  }
  const title = query.data === undefined ? (isNew ? 'New datapoint' : 'Datapoint') : titleOfDatapoint(query.data);
  const retry = (): void => void (dataset.error ? dataset.refetch() : query.refetch());
  return (
    <>
      <PageHeading title={title}>
        {!isNew && (
          <Neighbours id={dp} one="datapoint" labelOf={(step) => step} addressOf={(to) => datapointAddress(id, to)} />
        )}
        {back}
      </PageHeading>
      {error && <FaultNotice title="The datapoint could not be loaded" error={error} onRetry={retry} />}
      {(isNew || query.data !== undefined) && (
        <DatapointEditor key={dp} datasetId={id} datapoint={isNew ? null : query.data!} />
      )}
    </>
  );
}
