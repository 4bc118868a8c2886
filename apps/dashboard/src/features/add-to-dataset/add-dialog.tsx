import type { ExportedSpans } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { useMutation, useQueryClient, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, useState, type FormEvent, type ReactNode } from 'react';
import { exportSpans } from '../../api/datapoints.js';
import { keys } from '../../api/keys.js';
import { FaultNotice } from '../../components/page-parts.js';
import { notify, notifyError } from '../../components/notify.js';
import { datasetAddress } from '../addresses.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { createDataset, listDatasets } from '../../api/datasets.js';
import { SelectField, TextField } from '../../components/field.js';
import styles from './add-to-dataset.module.css';

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
      report(datasetId, answer);
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
function report(datasetId: string, { created, rejected }: ExportedSpans): void {
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

export interface AddDialogProps {
  size: 'small' | 'large';
  /** Whether what is chosen can be added now. */
  canAdd: boolean;
  onAdd(): void;
  onClose(): void;
  /** The form. */
  children: ReactNode;
  /** What stands below the form. */
  below?: ReactNode;
}

/** The dialog that asks for a dataset. */
export function AddDialog({ size, canAdd, onAdd, onClose, children, below }: AddDialogProps) {
  const formId = useId();
  const add = (event: FormEvent): void => {
    event.preventDefault();
    if (canAdd) onAdd();
  };
  return (
    <Dialog
      title="Add to dataset"
      size={size}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={formId} disabled={!canAdd}>
            Add
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={add}>
        {children}
      </form>
      {below}
    </Dialog>
  );
}

const NEW = 'new';

export interface DatasetChoice {
  /** The combobox `Dataset`, and the name of a new one. */
  fields: ReactNode;
  /** Whether a dataset is chosen, or a new one has a name. */
  isReady: boolean;
  /** The id of the chosen dataset; a new one is made. A second try goes into the dataset that the first one made. */
  take(): Promise<string>;
}

/** Into which dataset something goes: one that is there, or a new one. */
export function useDatasetChoice(): DatasetChoice {
  const datasets = useQuery({ queryKey: keys.datasets(), queryFn: ({ signal }) => listDatasets(signal) });
  const [chosen, setChosen] = useState<string | null>(null);
  const [name, setName] = useState('');
  const dataset = chosen ?? datasets.data?.[0]?.id ?? NEW;
  const options = [
    ...(datasets.data ?? []).map((one) => ({ value: one.id, label: one.name })),
    { value: NEW, label: 'New dataset' },
  ];
  return {
    isReady: dataset !== NEW || name.trim() !== '',
    take: async () => {
      const id = dataset === NEW ? (await createDataset(name.trim())).id : dataset;
      setChosen(id);
      return id;
    },
    fields: (
      <>
        <SelectField
          label="Dataset"
          options={options}
          value={dataset}
          aria-busy={datasets.isPending}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
        {dataset === NEW && datasets.data !== undefined && (
          <TextField label="Name" value={name} onChange={(event) => setName(event.currentTarget.value)} />
        )}
        {datasets.error && (
          <FaultNotice
            title="The datasets could not be loaded"
            error={datasets.error}
            onRetry={() => void datasets.refetch()}
          />
        )}
      </>
    ),
  };
}
