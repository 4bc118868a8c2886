import { Button } from '../../components/button.js';
import { copyText } from '../../components/copy-text.js';
import { notify, notifyError } from '../../components/notifications/notify.js';
import styles from './span-details.module.css';

/** So much of a message is looked for: what follows is mostly ids and numbers of this one call. */
const SOUGHT_MAX = 200;

/** Why a span failed: the whole message, and the way to others like it. */
export function SpanError({ error }: { error: string }) {
  const copy = (): void => {
    copyText(error).then(
      () => notify('Copied the error'),
      (fault: Error) => notifyError('The error could not be copied', fault),
    );
  };
  const sought = new URLSearchParams({ status: 'failed', error_contains: error.slice(0, SOUGHT_MAX) });
  return (
    <div role="group" aria-label="Error" className={styles.error}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long message scrolls */}
      <pre className={styles.errorText} tabIndex={0}>
        {error === '' ? 'Failed without a message' : error}
      </pre>
      <div className={styles.buttons}>
        <Button icon="copy" onClick={copy}>
          Copy
        </Button>
        <a href={`/spans?${sought.toString()}`}>Find spans with this error</a>
      </div>
    </div>
  );
}
