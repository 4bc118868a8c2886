import type { DatasetResource } from '@spandrel/contract';
import { formatCount, formatCounted } from '@spandrel/contract/browser';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { deleteDataset, updateDataset } from '../../api/dataset.js';
import { keys } from '../../api/keys.js';
import { Button } from '../../components/button.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { notify, notifyError } from '../../components/notifications/notify.js';
import { PageHeading } from '../../components/page-heading.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { DatasetDialog } from '../../features/dataset-form/dataset-dialog.js';
import { FactList } from '../../features/facts/fact-list.js';
import styles from './dataset-page.module.css';

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
