import { formatCounted } from '@spandrel/contract/browser';
import { Link } from '@tanstack/react-router';
import { api } from '../api/api.js';
import { CheckboxField, TextArea, TextField } from '../components/field.js';
import { reviewAddress } from './addresses.js';
import { describeNew } from './describe-new.js';
import { FormDialog } from './dialogs.js';
import { runBulkJob, type ChosenRows } from './list/bulk-job.js';
import { useScoreDefinitions } from './scores/score-definitions.js';
import { readTerms } from './review-terms.js';
import styles from './dialogs.module.css';

export interface SendToReviewProps {
  datasetId: string;
  /** The datapoints. */
  chosen: ChosenRows;
  onSent?(): void;
}

/** Asks how datapoints are to be reviewed: by how many, with which form, in which order. They are sent in the background. */
export function SendDialog({ datasetId, chosen, onSent, onClose }: SendToReviewProps & { onClose(): void }) {
  const definitions = useScoreDefinitions();
  const { count, isMore } = chosen;
  const what = count === undefined || isMore ? 'datapoints' : formatCounted(count, 'datapoint');
  const send = async (form: FormData): Promise<void> => {
    const terms = readTerms(form);
    onClose();
    onSent?.();
    await runBulkJob({
      ...{ chosen, title: 'Sending to review', one: 'datapoint' },
      act: async (ids) => {
        const body = { datapoint_ids: [...ids], ...terms };
        const { existing = 0 } = await api.enqueueDatapoints({ path: { id: datasetId }, body });
        return { done: ids.length - existing, existing, failed: 0 };
      },
      describe: ({ done, existing }) =>
        `Sent ${describeNew(done, existing, 'datapoint')}${existing === 0 ? ' to review' : ''}`,
      action: <Link to={reviewAddress(datasetId)}>Start reviewing</Link>,
    });
  };
  return (
    <FormDialog
      title={`Send ${what} to review`}
      action="Send"
      failed="The datapoints could not be sent to review"
      send={send}
      onClose={onClose}
    >
      <TextField
        label="Reviews required"
        name="reviews_required"
        type="number"
        min={1}
        max={10}
        required
        defaultValue={1}
        hint="How many people review each datapoint; nobody reviews the same one twice."
      />
      <fieldset className={styles.choices}>
        <legend>Form</legend>
        {definitions?.map(({ name }) => (
          <CheckboxField key={name} name="form" value={name} label={name} />
        ))}
        {definitions?.length === 0 && (
          <p>
            Reviewers approve or edit. To ask them for scores, define these in <Link to="/settings">Settings</Link>.
          </p>
        )}
      </fieldset>
      <TextArea
        label="Instructions"
        name="instructions"
        rows={3}
        dir="auto"
        hint="In place of the description of the dataset."
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
      <CheckboxField name="blind" defaultChecked label="Blind: reviewers see answers of others only after their own" />
    </FormDialog>
  );
}
