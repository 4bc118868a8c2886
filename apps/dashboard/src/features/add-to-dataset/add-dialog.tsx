import type { ExportedSpans } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { useQueryClient, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { QueryFault } from '../../components/page-parts.js';
import { FormDialog } from '../dialogs.js';
import { api, inBatches } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { notify, notifyError } from '../../components/notify.js';
import { datasetAddress } from '../addresses.js';
import { describeNew } from '../describe-new.js';
import { SelectField, TextField } from '../../components/field.js';

export interface AddManyToDatasetProps {
  what: string;
  /** Ids of the spans that become datapoints, or of the traces of which one span each does. */
  spanIds?: readonly string[];
  traceIds?: readonly string[];
  onAdded(): void;
  onClose(): void;
}

/** Makes a datapoint of each of many spans, in a dataset that is there or a new one. */
export function AddManyToDataset({ what, spanIds, traceIds, onAdded, onClose }: AddManyToDatasetProps) {
  const queryClient = useQueryClient();
  const { fields, isReady, take } = useDatasetChoice();
  return (
    <FormDialog
      title="Add to dataset"
      size="small"
      action="Add"
      failed="The datapoints could not be added"
      canSend={isReady}
      send={async () => {
        const ids = spanIds ?? (await spansOfTraces(traceIds ?? []));
        const datasetId = await take().finally(() => queryClient.invalidateQueries({ queryKey: keys.datasets() }));
        return { datasetId, answer: await exportSpans(datasetId, ids) };
      }}
      onSent={({ datasetId, answer }) => {
        notifyAdded(datasetId, answer);
        onAdded();
        onClose();
      }}
      onClose={onClose}
    >
      <p>{what}</p>
      {fields}
    </FormDialog>
  );
}

/** The span of each trace that stands for it: its last call of a model, else the first of its spans. A trace without spans has none. */
async function spansOfTraces(traceIds: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  // One request after the other: a selection may be long.
  for (const trace_id of traceIds) {
    const shared = { trace_id, sort_by: 'started_at', view: 'outline', limit: 1 } as const;
    const calls = await api.listSpans({ query: { ...shared, kind: 'llm_call', sort_order: 'desc' } });
    const [span] =
      calls.spans.length > 0 ? calls.spans : (await api.listSpans({ query: { ...shared, sort_order: 'asc' } })).spans;
    if (span !== undefined) ids.push(span.id);
  }
  return ids;
}

/** Makes datapoints of spans that the dataset has none of yet, as many requests as it takes. */
async function exportSpans(datasetId: string, spanIds: readonly string[]): Promise<ExportedSpans[]> {
  const answers: ExportedSpans[] = [];
  for (const some of inBatches(spanIds)) {
    const body = { span_ids: some, skip_existing: true };
    answers.push(await api.exportSpans({ path: { id: datasetId }, body }));
  }
  return answers;
}

function notifyAdded(datasetId: string, answers: readonly ExportedSpans[]): void {
  const created = answers.flatMap((answer) => answer.created);
  const existing = answers.flatMap((answer) => answer.existing ?? []);
  const unread = answers.flatMap((answer) => answer.unread_answers ?? []);
  const rejected = answers.flatMap((answer) => answer.rejected);
  if (created.length + existing.length > 0) {
    const left =
      unread.length === 0 ? '' : `. The answers of ${formatCounted(unread.length, 'span')} were not understood`;
    notify(
      `Added ${describeNew(created.length, existing.length, 'datapoint')}${left}`,
      <Link to={datasetAddress(datasetId)}>Open dataset</Link>,
    );
  }
  const [first] = rejected;
  if (first !== undefined)
    notifyError(`${formatCounted(rejected.length, 'span')} could not be added`, new Error(first.message));
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
  const datasets = useQuery({ queryKey: keys.datasets(), queryFn: ({ signal }) => api.listDatasets({ signal }) });
  const [chosen, setChosen] = useState<string | null>(null);
  const [name, setName] = useState('');
  const dataset = chosen ?? datasets.data?.datasets[0]?.id ?? NEW;
  const options = [
    ...(datasets.data?.datasets ?? []).map((one) => ({ value: one.id, label: one.name })),
    { value: NEW, label: 'New dataset' },
  ];
  return {
    isReady: dataset !== NEW || name.trim() !== '',
    take: async () => {
      const id = dataset === NEW ? (await api.createDataset({ body: { name: name.trim() } })).id : dataset;
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
        <QueryFault title="The datasets could not be loaded" query={datasets} />
      </>
    ),
  };
}
