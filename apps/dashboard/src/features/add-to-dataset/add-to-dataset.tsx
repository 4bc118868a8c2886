import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { exportSpan } from '../../api/datasets.js';
import { keys } from '../../api/keys.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { notify } from '../../components/notifications/notify.js';
import type { OpenPayload } from '../payload/payload-client.js';
import { datapointAddress } from '../dataset-link.js';
import { DatapointPreview } from './datapoint-preview.js';
import { AddDialog } from './add-dialog.js';
import { useDatasetChoice } from './use-dataset-choice.js';

interface AddToDatasetProps {
  spanId: string;
  payload: OpenPayload;
  onClose(): void;
}

/** Makes a datapoint of a span, in a dataset that is there or a new one. */
export function AddToDataset({ spanId, payload, onClose }: AddToDatasetProps) {
  const queryClient = useQueryClient();
  const { fields, isReady, take } = useDatasetChoice();
  const addition = useMutation({
    mutationFn: async () => exportSpan(await take(), spanId),
    onSuccess: ({ id, dataset_id: datasetId }) => {
      notify('Added a datapoint', <Link to={datapointAddress(datasetId, id)}>Open datapoint</Link>);
      onClose();
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.datasets() }),
  });
  return (
    <AddDialog
      size="large"
      canAdd={isReady && !addition.isPending}
      onAdd={() => addition.mutate()}
      onClose={onClose}
      below={<DatapointPreview payload={payload} />}
    >
      {fields}
      {addition.error && <FaultNotice title="The datapoint could not be added" error={addition.error} />}
    </AddDialog>
  );
}
