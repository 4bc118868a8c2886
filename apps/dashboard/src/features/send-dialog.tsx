import type { Enqueue, EnqueueTargets, ReviewTarget } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { Link } from '@tanstack/react-router';
import { api } from '../api/api.js';
import { FieldFaults } from '../api/form-faults.js';
import { CheckboxField, SelectField, TextArea, TextField } from '../components/field.js';
import { reviewAddress } from './addresses.js';
import { useCapabilities } from './browser-session.js';
import { describeNew } from './describe-new.js';
import { FormDialog } from './dialogs.js';
import { runBulkJob, type BulkJob, type ChosenRows } from './list/bulk-job.js';
import { useScoreDefinitions } from './scores/score-definitions.js';
import { readTerms } from './review-terms.js';
import styles from './dialogs.module.css';

export interface SendToReviewProps {
  /** The dataset of the datapoints; left out for traces, spans and sessions. */
  datasetId?: string;
  /** What the rows are, one of them. */
  one: 'datapoint' | ReviewTarget;
  chosen: ChosenRows;
  onSent?(): void;
}

const ORDERS = [
  { value: 'oldest', label: 'Oldest first' },
  { value: 'random', label: 'Random' },
  { value: 'uncertain', label: 'What judges are least sure of first' },
];

const UNTIL_PATHS = ['until.ci_width', 'form', 'order', 'selected_by'];
const PATHS = ['assignees', 'adjudicators', ...UNTIL_PATHS];

/** What is wrong with the names of a field, which say themselves which they are. */
const namedFaults = (faults: FieldFaults, path: string): string | undefined =>
  faults.at(path)?.replaceAll(/(^|; )\d+: /g, '$1');

/** Asks how rows are to be reviewed: by how many, with which form, in which order. They are sent in the background. */
export function SendDialog({ datasetId, one, chosen, onSent, onClose }: SendToReviewProps & { onClose(): void }) {
  const definitions = useScoreDefinitions();
  const { count, isMore } = chosen;
  const what = count === undefined || isMore ? `${one}s` : formatCounted(count, one);
  const isLocal = useCapabilities()?.mode === 'local';
  const send = async (form: FormData): Promise<void> => {
    const terms = readTerms(form);
    const isRefusal = (error: unknown): boolean => new FieldFaults(error as Error).areAllAt(PATHS);
    const job = (onGoing: () => void): BulkJob => ({
      ...{ isRefusal, onGoing },
      ...{ chosen, title: 'Sending to review', one },
      act: async (ids) => {
        const body = { [`${one}_ids`]: [...ids], ...terms };
        const { existing = 0 } = await (datasetId === undefined
          ? api.enqueueTargets({ body: body as EnqueueTargets })
          : api.enqueueDatapoints({ path: { id: datasetId }, body: body as Enqueue }));
        return { done: ids.length - existing, existing, failed: 0 };
      },
      describe: ({ done, existing }) => `Sent ${describeNew(done, existing, one)}${existing === 0 ? ' to review' : ''}`,
      action: <Link to={reviewAddress(datasetId ?? null)}>Start reviewing</Link>,
    });
    // The dialog stays until the first page is taken: the service knows who may review.
    await new Promise<void>((going, refuse) => void runBulkJob(job(going)).catch(refuse));
    onClose();
    onSent?.();
  };
  return (
    <FormDialog
      title={`Send ${what} to review`}
      action="Send"
      failed={`The ${one}s could not be sent to review`}
      send={send}
      onClose={onClose}
      paths={PATHS}
    >
      {(faults) => (
        <>
          <TextField
            label="Reviews required"
            name="reviews_required"
            type="number"
            min={1}
            max={10}
            required
            defaultValue={1}
            hint={`How many people review each ${one}; nobody reviews the same one twice.`}
          />
          <fieldset className={styles.choices}>
            <legend>Form</legend>
            {definitions?.map(({ name }) => (
              <CheckboxField key={name} name="form" value={name} label={name} />
            ))}
            {definitions?.length === 0 && (
              <p>
                Reviewers approve or edit the answer. To ask them for scores, define these in{' '}
                <Link to="/settings">Settings</Link>.
              </p>
            )}
          </fieldset>
          <TextArea
            label="Instructions"
            name="instructions"
            rows={3}
            dir="auto"
            {...(datasetId !== undefined && { hint: 'In place of the description of the dataset.' })}
          />
          <TextField
            label="Priority"
            name="priority"
            type="number"
            step={1}
            required
            defaultValue={0}
            hint="Higher ones are reviewed first."
          />
          <CheckboxField
            name="blind"
            defaultChecked
            label="Blind: reviewers see answers of others only after their own"
          />
          <details {...(faults.areAllAt(PATHS) && { open: true })}>
            <summary>Who reviews, in which order, and why</summary>
            <div className={styles.form}>
              <TextField
                label="Assignees"
                name="assignees"
                fault={namedFaults(faults, 'assignees')}
                hint={`${isLocal ? 'Names' : 'E-mail addresses'}, with commas between them; anybody when empty.`}
              />
              <SelectField label="Order" name="order" options={ORDERS} />
              <TextField
                label="Selected by"
                name="selected_by"
                hint="Why these: random, or a reason such as thumbs down. With a reason, the answers enter no estimate."
              />
              <TextField
                label="Enough when the interval is as wide as"
                name="until"
                type="number"
                min={0}
                step="any"
                placeholder="Never: all are reviewed"
                fault={UNTIL_PATHS.map((path) => faults.at(path)).find(Boolean)}
                hint="Of the mean of each score of the form, such as 0.1: the review ends once the estimates are as sure as that."
              />
              <CheckboxField name="adjudicate" label="Another person decides where answers differ" />
              <TextField
                label="Who decides"
                name="adjudicators"
                fault={namedFaults(faults, 'adjudicators')}
                hint="Anybody who has not reviewed it when empty."
              />
            </div>
          </details>
        </>
      )}
    </FormDialog>
  );
}
