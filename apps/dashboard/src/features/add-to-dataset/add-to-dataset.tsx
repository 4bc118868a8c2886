import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FormDialog } from '../dialogs.js';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { FaultNotice } from '../../components/page-parts.js';
import { notify } from '../../components/notify.js';
import type { OpenPayload } from '../payload/payload-client.js';
import { datapointAddress } from '../addresses.js';
import type { MessageReading } from '../messages/message.js';
import { MessageText, MessageList } from '../messages/message-view.js';
import { useReadingPreferences } from '../payload/reading-preferences.js';
import { useAsked } from '../payload/use-span-payload.js';
import { useDatasetChoice } from './add-dialog.js';
import styles from './add-to-dataset.module.css';

/** Makes a datapoint of a span, in a dataset that is there or a new one. */
export function AddToDataset({ spanId, payload, onClose }: { spanId: string; payload: OpenPayload; onClose(): void }) {
  const queryClient = useQueryClient();
  const { fields, isReady, take } = useDatasetChoice();
  return (
    <FormDialog
      title="Add to dataset"
      size="large"
      action="Add"
      failed="The datapoint could not be added"
      canSend={isReady}
      send={async () => {
        const id = await take().finally(() => queryClient.invalidateQueries({ queryKey: keys.datasets() }));
        return api.exportSpan({ path: { id }, body: { span_id: spanId } });
      }}
      onSent={({ id, dataset_id: datasetId }) => {
        notify('Added a datapoint', <Link to={datapointAddress(datasetId, id)}>Open datapoint</Link>);
        onClose();
      }}
      onClose={onClose}
      below={<DatapointPreview payload={payload} />}
    >
      {fields}
    </FormDialog>
  );
}

const NOTHING = {};

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
          {answer.texts.map(({ name, text, missing = 'Nothing' }) => (
            <article key={name} aria-label={name} className={styles.text}>
              <h4>{name}</h4>
              {text === '' ? <p>{missing}</p> : <MessageText text={text} label={name} reading={reading} />}
            </article>
          ))}
        </div>
      )}
    </section>
  );
}
