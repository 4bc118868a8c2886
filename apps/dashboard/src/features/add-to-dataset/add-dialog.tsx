import { formatCounted } from '@spandrel/contract/browser';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { FormDialog } from '../dialogs.js';
import { api } from '../../api/api.js';
import { datasetAddress } from '../addresses.js';
import { describeNew } from '../describe-new.js';
import { runBulkJob, type ChosenRows } from '../list/bulk-job.js';
import { spansOfTraces } from '../spans-of-traces.js';
import { CheckboxField } from '../../components/field.js';
import { useDatasetChoice } from './dataset-choice.js';

export interface AddManyToDatasetProps {
  what: string;
  /** The spans that become datapoints, or the traces of which one span each does. */
  chosen: ChosenRows;
  isOfTraces?: boolean;
  onAdded(): void;
  onClose(): void;
}

/** Makes a datapoint of each of many spans, in a dataset that is there or a new one, in the background. */
export function AddManyToDataset({ what, chosen, isOfTraces = false, onAdded, onClose }: AddManyToDatasetProps) {
  const { fields, isReady, take } = useDatasetChoice();
  const [isReviewed, setIsReviewed] = useState(false);
  const add = (datasetId: string): void => {
    const added: Added = { datasetId, isReviewed, created: new Set(), unread: new Set() };
    void runBulkJob({
      ...{ chosen, title: 'Adding to the dataset', one: 'span' },
      act: async (ids) => addSpans(added, isOfTraces ? await spansOfTraces(ids) : ids),
      describe: ({ done, existing }) => `Added ${describeNew(done, existing, 'datapoint')}${unreadWords(added)}`,
      action: <Link to={datasetAddress(datasetId)}>Open dataset</Link>,
    });
    onAdded();
    onClose();
  };
  return (
    <FormDialog
      title="Add to dataset"
      size="small"
      action="Add"
      failed="The datapoints could not be added"
      canSend={isReady}
      send={take}
      onSent={add}
      onClose={onClose}
    >
      <p>{what}</p>
      {fields}
      <CheckboxField
        label="Send to review"
        checked={isReviewed}
        onChange={({ target }) => setIsReviewed(target.checked)}
      />
    </FormDialog>
  );
}

interface Added {
  datasetId: string;
  isReviewed: boolean;
  /** Spans of which a datapoint was made. */
  created: Set<string>;
  /** Spans whose answers were not understood. */
  unread: Set<string>;
}

/**
 * Makes datapoints of spans that the dataset has none of yet. All of them wait for review then, where that is asked for: when
 * that failed before, its datapoints are there already.
 */
async function addSpans({ datasetId, isReviewed, ...added }: Added, spanIds: readonly string[]) {
  const path = { id: datasetId };
  if (spanIds.length === 0) return { done: 0, existing: 0, failed: 0 };
  const answer = await api.exportSpans({ path, body: { span_ids: [...spanIds], skip_existing: true } });
  const { created, existing = [], unread_answers: unread = [], rejected } = answer;
  for (const { span_id: id } of created) added.created.add(id);
  for (const id of unread) added.unread.add(id);
  const there = [...created, ...existing];
  if (isReviewed && there.length > 0)
    await api.enqueueDatapoints({ path, body: { datapoint_ids: there.map(({ datapoint_id: id }) => id) } });
  const done = there.filter(({ span_id: id }) => added.created.has(id)).length;
  return { done, existing: there.length - done, failed: rejected.length, fault: rejected[0]?.message };
}

const unreadWords = ({ unread: { size } }: Added): string =>
  size === 0 ? '' : `. The answers of ${formatCounted(size, 'span')} were not understood`;
