import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { exportSpan } from '../../api/datasets.js';
import { keys } from '../../api/keys.js';
import { FaultNotice } from '../../components/page-parts.js';
import { notify } from '../../components/notify.js';
import type { OpenPayload } from '../payload/payload-client.js';
import { datapointAddress } from '../addresses.js';
import { AddDialog, useDatasetChoice } from './add-dialog.js';
import type { MessageReading } from '../messages/message.js';
import { MessageText, MessageList } from '../messages/message-view.js';
import { useReadingPreferences } from '../payload/reading-preferences.js';
import { useAsked } from '../payload/use-span-payload.js';
import styles from './add-to-dataset.module.css';

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

const NOTHING = {};

/** What the datapoint of a span will be, in the format in which the reader reads spans. */
function DatapointPreview({ payload }: { payload: OpenPayload }) {
  const { answer, error } = useAsked(payload, 'datapoint', NOTHING);
  const { format, wraps } = useReadingPreferences();
  const reading: MessageReading = { format: format === 'json' ? 'text' : format, wraps, sought: '' };
  return (
    <section aria-label="Datapoint preview" className={styles.preview}>
      <h3>{answer === null ? 'Datapoint preview' : `Datapoint preview: ${answer.kind}`}</h3>
      {error !== null && <FaultNotice title="The datapoint cannot be shown" error={error} />}
      {answer !== null && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by keys
        <div role="group" aria-label="Datapoint" tabIndex={0} className={styles.datapoint}>
          {answer.messages.length > 0 && <MessageList messages={answer.messages} reading={reading} />}
          {answer.texts.map(({ name, text }) => (
            <article key={name} aria-label={name} className={styles.text}>
              <h4>{name}</h4>
              {text === '' ? <p>Nothing</p> : <MessageText text={text} label={name} reading={reading} />}
            </article>
          ))}
        </div>
      )}
    </section>
  );
}
