import type { ExportedSpans } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { exportSpans } from '../../api/datapoints.js';
import { keys } from '../../api/keys.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { notify, notifyError } from '../../components/notifications/notify.js';
import { datasetAddress } from '../dataset-link.js';
import { AddDialog } from './add-dialog.js';
import { useDatasetChoice } from './use-dataset-choice.js';

export interface AddManyToDatasetProps {
  /** What is added, in words. */
  what: string;
  /** Ids of the spans that become datapoints. */
  findSpans(): Promise<readonly string[]>;
  onAdded(): void;
  onClose(): void;
}

/** Makes a datapoint of each of many spans, in a dataset that is there or a new one. */
export function AddManyToDataset({ what, findSpans, onAdded, onClose }: AddManyToDatasetProps) {
  const queryClient = useQueryClient();
  const { fields, isReady, take } = useDatasetChoice();
  const addition = useMutation({
    mutationFn: async () => {
      const spanIds = await findSpans();
      const datasetId = await take();
      return { datasetId, answer: await exportSpans(datasetId, spanIds) };
    },
    onSuccess: ({ datasetId, answer }) => {
      tell(datasetId, answer);
      onAdded();
      onClose();
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.datasets() }),
  });
  return (
    <AddDialog size="small" canAdd={isReady && !addition.isPending} onAdd={() => addition.mutate()} onClose={onClose}>
      <p>{what}</p>
      {fields}
      {addition.error && <FaultNotice title="The datapoints could not be added" error={addition.error} />}
    </AddDialog>
  );
}

/** Says how many datapoints there are now, and why some spans became none. */
function tell(datasetId: string, { created, rejected }: ExportedSpans): void {
  if (created.length > 0) {
    notify(
      `Added ${formatCounted(created.length, 'datapoint')}`,
      <Link to={datasetAddress(datasetId)}>Open dataset</Link>,
    );
  }
  const [first] = rejected;
  if (first !== undefined)
    notifyError(`${formatCounted(rejected.length, 'span')} could not be added`, new Error(first.message));
}
