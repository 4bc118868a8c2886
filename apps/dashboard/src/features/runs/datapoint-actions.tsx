import { Link } from '@tanstack/react-router';
import { datapointAddress } from '../dataset-link.js';
import { SendToReview } from '../send-to-review.js';

/** What can be done with the datapoint of a result. */
export function DatapointActions({ datasetId, id }: { datasetId: string; id: string }) {
  return (
    <>
      <SendToReview key={id} datasetId={datasetId} ids={[id]} />
      <Link to={datapointAddress(datasetId, id)}>Open datapoint</Link>
    </>
  );
}
