import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { createDataset, exportSpan, listDatasets } from '../../api/datasets.js';
import { keys } from '../../api/keys.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { SelectField, TextField } from '../../components/field.js';
import { notify } from '../../components/notifications/notify.js';
import { rowStarts } from '../../components/text-view/text-rows.js';
import { TextView } from '../../components/text-view/text-view.js';
import type { OpenPayload } from '../payload/payload-client.js';
import { useAsked } from '../payload/use-span-payload.js';
import styles from './add-to-dataset.module.css';

interface AddToDatasetProps {
  spanId: string;
  payload: OpenPayload;
  onClose(): void;
}

const NEW = 'new';
const NOTHING = {};

/** Makes a datapoint of a span, in a dataset that is there or a new one. */
export function AddToDataset({ spanId, payload, onClose }: AddToDatasetProps) {
  const formId = useId();
  const queryClient = useQueryClient();
  const datasets = useQuery({ queryKey: keys.datasets(), queryFn: ({ signal }) => listDatasets(signal) });
  const [chosen, setChosen] = useState<string | null>(null);
  const [name, setName] = useState('');
  const dataset = chosen ?? datasets.data?.[0]?.id ?? NEW;
  const addition = useMutation({
    mutationFn: async () => {
      const id = dataset === NEW ? (await createDataset(name.trim())).id : dataset;
      // A second try after a fault goes into the dataset that the first one made.
      setChosen(id);
      return exportSpan(id, spanId);
    },
    onSuccess: ({ id, dataset_id: datasetId }) => {
      notify('Added a datapoint', <a href={addressOf(datasetId, id)}>Open datapoint</a>);
      onClose();
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.datasets() }),
  });
  const isNamed = dataset !== NEW || name.trim() !== '';
  const add = (event: FormEvent): void => {
    event.preventDefault();
    if (isNamed && !addition.isPending) addition.mutate();
  };
  const options = [
    ...(datasets.data ?? []).map((one) => ({ value: one.id, label: one.name })),
    { value: NEW, label: 'New dataset' },
  ];
  return (
    <Dialog
      title="Add to dataset"
      size="large"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={formId} disabled={!isNamed || addition.isPending}>
            Add
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={add}>
        <SelectField
          label="Dataset"
          options={options}
          value={dataset}
          disabled={datasets.isPending}
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
        {addition.error && <FaultNotice title="The datapoint could not be added" error={addition.error} />}
      </form>
      <DatapointPreview payload={payload} />
    </Dialog>
  );
}

/** What the datapoint will be. */
function DatapointPreview({ payload }: { payload: OpenPayload }) {
  const { answer, error } = useAsked(payload, 'datapoint', NOTHING);
  return (
    <section aria-label="Datapoint preview" className={styles.preview}>
      <h3>Datapoint preview</h3>
      {error !== null && <FaultNotice title="The datapoint cannot be shown" error={error} />}
      {answer !== null && (
        <TextView label="Datapoint" text={answer} starts={rowStarts(answer)} wraps={true} sought="" shownOffset={-1} />
      )}
    </section>
  );
}

const addressOf = (datasetId: string, id: string): string =>
  `/datasets/${encodeURIComponent(datasetId)}/datapoints/${encodeURIComponent(id)}`;
