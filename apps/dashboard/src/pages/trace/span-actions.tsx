import type { SpanOutline } from '@spandrel/contract';
import { useState } from 'react';
import { useCapabilities } from '../../features/payload/use-capabilities.js';
import { Button } from '../../components/button.js';
import { copyText } from '../../components/copy-text.js';
import { downloadText } from '../../components/download-text.js';
import { notify, notifyError } from '../../components/notifications/notify.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { AddToDataset } from '../../features/add-to-dataset/add-to-dataset.js';
import type { OpenPayload } from '../../features/payload/payload-client.js';
import type { Format, Section } from '../../features/payload/payload-protocol.js';
import { spanAddress } from './trace-addresses.js';
import { isLlmCall } from '../../features/spans/trace-span.js';
import styles from './span-details.module.css';

interface SpanActionsProps {
  span: SpanOutline;
  payload: OpenPayload;
  section: Section;
  format: Format;
}

/** What can be done with a span and the text of it that is shown. */
export function SpanActions({ span, payload, section, format }: SpanActionsProps) {
  const capabilities = useCapabilities();
  const shownText = async (): Promise<string> => {
    if (format === 'json') return (await payload.ask('json', { section })).text;
    return (await payload.ask('text', { section })).text;
  };
  const copy = (what: string, text: Promise<string>): void => {
    text.then(copyText).then(
      () => notify(`Copied ${what}`),
      (error: Error) => notifyError(`Could not copy ${what}`, error),
    );
  };
  const download = (): void => {
    const isJson = format === 'json';
    shownText().then(
      (text) =>
        downloadText(
          `${span.name}-${section}.${isJson ? 'json' : 'txt'}`,
          text,
          isJson ? 'application/json' : 'text/plain',
        ),
      (error: Error) => notifyError('The text could not be saved', error),
    );
  };
  const copyLink = (): void => copy('the link to the span', Promise.resolve(spanAddress(span)));
  const copyShown = (): void => copy('the text', shownText());
  const url = isLlmCall(span) ? capabilities?.gateway_url : null;
  const copyCurl = url
    ? (): void => copy('the command', payload.ask('curl', { url, isCloud: capabilities?.mode === 'cloud' }))
    : null;
  const [isAdding, setIsAdding] = useState(false);
  useShortcuts([
    { keys: 'c', label: 'Copy span link', group: 'Span', run: copyLink },
    { keys: 'd', label: 'Add to dataset', writes: true, group: 'Span', run: () => setIsAdding(true) },
    ...(copyCurl ? [{ keys: '', label: 'Copy as curl', group: 'Span', run: copyCurl }] : []),
    { keys: '', label: 'Copy text', group: 'Span', run: copyShown },
    { keys: '', label: 'Download text', group: 'Span', run: download },
  ]);
  return (
    <div className={styles.buttons}>
      <Button icon="copy" onClick={copyShown}>
        Copy
      </Button>
      <Button icon="download" onClick={download}>
        Download
      </Button>
      {copyCurl && (
        <Button icon="copy" onClick={copyCurl}>
          Copy as curl
        </Button>
      )}
      <Button icon="link" shortcut="c" onClick={copyLink}>
        Copy span link
      </Button>
      <Button writes icon="plus" shortcut="d" onClick={() => setIsAdding(true)}>
        Add to dataset
      </Button>
      {isAdding && <AddToDataset spanId={span.id} payload={payload} onClose={() => setIsAdding(false)} />}
    </div>
  );
}
