import { FaultNotice } from '../../components/fault-notice.js';
import type { MessageReading } from '../messages/message-reading.js';
import { MessageText } from '../messages/message-text.js';
import { MessageList } from '../messages/message-view.js';
import type { OpenPayload } from '../payload/payload-client.js';
import { useReadingPreferences } from '../payload/reading-preferences.js';
import { useAsked } from '../payload/use-span-payload.js';
import styles from './add-to-dataset.module.css';

const NOTHING = {};

/** What the datapoint of a span will be, in the format in which the reader reads spans. */
export function DatapointPreview({ payload }: { payload: OpenPayload }) {
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
