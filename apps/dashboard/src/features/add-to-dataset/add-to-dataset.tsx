import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { FormDialog } from '../dialogs.js';
import { api } from '../../api/api.js';
import { TextArea } from '../../components/field.js';
import { FaultNotice } from '../../components/page-parts.js';
import { notify } from '../../components/notify.js';
import type { OpenPayload } from '../payload/payload-client.js';
import type { ShownDatapoint } from '../payload/payload-types.js';
import { datapointAddress } from '../addresses.js';
import type { MessageReading } from '../messages/message.js';
import { MessageText, MessageList } from '../messages/message-view.js';
import { useReadingPreferences } from '../payload/reading-preferences.js';
import { useAsked } from '../payload/use-span-payload.js';
import { useDatasetChoice } from './dataset-choice.js';
import styles from './add-to-dataset.module.css';

interface AddToDatasetProps {
  spanId: string;
  /** `null` while it is fetched: the preview comes with it. */
  payload: OpenPayload | null;
  onClose(): void;
}

/** Makes a datapoint of a span, in a dataset that is there or a new one. */
export function AddToDataset({ spanId, payload, onClose }: AddToDatasetProps) {
  const { fields, isReady, take } = useDatasetChoice();
  const { answer: datapoint, error } = useAsked(payload, 'datapoint', NOTHING);
  const [edited, setEdited] = useState<string | null>(null);
  // What was not changed stays as it was recorded, which may be JSON.
  const expected = edited === null || edited === datapoint?.expected ? undefined : edited || null;
  return (
    <FormDialog
      title="Add to dataset"
      size="large"
      action="Add"
      failed="The datapoint could not be added"
      canSend={isReady}
      send={async () => {
        const id = await take();
        return api.exportSpan({ path: { id }, body: { span_id: spanId, ...(expected !== undefined && { expected }) } });
      }}
      onSent={({ id, dataset_id: datasetId }) => {
        notify('Added a datapoint', <Link to={datapointAddress(datasetId, id)}>Open datapoint</Link>);
        onClose();
      }}
      onClose={onClose}
      below={
        <section aria-label="Datapoint preview" className={styles.preview}>
          <h3>{datapoint === null ? 'Datapoint preview' : `Datapoint preview: ${datapoint.kind}`}</h3>
          {error !== null && <FaultNotice title="The datapoint cannot be shown" error={error} />}
          {datapoint !== null && (
            <>
              <TextArea
                label="Expected"
                rows={4}
                dir="auto"
                hint={hintOf(datapoint, edited ?? datapoint.expected)}
                value={edited ?? datapoint.expected}
                onChange={({ target }) => setEdited(target.value)}
              />
              <DatapointTexts datapoint={datapoint} />
            </>
          )}
        </section>
      }
    >
      {fields}
    </FormDialog>
  );
}

const NOTHING = {};

function hintOf({ isUnread }: ShownDatapoint, expected: string): string {
  if (expected !== '') return 'The recorded answer, unless you correct it.';
  const why = isUnread ? 'The answer was not understood. ' : '';
  return `${why}Left empty, scorers that compare with an expected value cannot score this datapoint.`;
}

function DatapointTexts({ datapoint: { messages, texts } }: { datapoint: ShownDatapoint }) {
  const { format, wraps } = useReadingPreferences();
  const reading: MessageReading = { format: format === 'json' ? 'text' : format, wraps, sought: '' };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by keys
    <div role="group" aria-label="Datapoint" tabIndex={0} className={styles.datapoint}>
      {messages.length > 0 && <MessageList messages={messages} reading={reading} />}
      {texts.map(({ name, text }) => (
        <article key={name} aria-label={name} className={styles.text}>
          <h4>{name}</h4>
          {text === '' ? <p>Nothing</p> : <MessageText text={text} label={name} reading={reading} />}
        </article>
      ))}
    </div>
  );
}
