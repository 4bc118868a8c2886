import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, type FormEvent } from 'react';
import { exportSpan } from '../../api/datasets.js';
import { keys } from '../../api/keys.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { notify } from '../../components/notifications/notify.js';
import type { OpenPayload } from '../payload/payload-client.js';
import { datapointAddress } from '../dataset-link.js';
import { DatapointPreview } from './datapoint-preview.js';
import { useDatasetChoice } from './use-dataset-choice.js';
import styles from './add-to-dataset.module.css';

interface AddToDatasetProps {
  spanId: string;
  payload: OpenPayload;
  onClose(): void;
}

/** Makes a datapoint of a span, in a dataset that is there or a new one. */
export function AddToDataset({ spanId, payload, onClose }: AddToDatasetProps) {
  const formId = useId();
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
  const add = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady && !addition.isPending) addition.mutate();
  };
  return (
    <Dialog
      title="Add to dataset"
      size="large"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={formId} disabled={!isReady || addition.isPending}>
            Add
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={add}>
        {fields}
        {addition.error && <FaultNotice title="The datapoint could not be added" error={addition.error} />}
      </form>
      <DatapointPreview payload={payload} />
    </Dialog>
  );
}
