import type { SpanOutline } from '@spandrel/contract';
import { useDeferredValue, useMemo, useRef, useState } from 'react';
import { CheckboxField } from '../../components/field.js';
import { ChoiceGroup } from '../../components/choice-group.js';
import type { OpenPayload } from '../../features/payload/payload-client.js';
import type { Format, Section } from '../../features/payload/payload-protocol.js';
import { setReadingPreferences, useReadingPreferences } from '../../features/payload/reading-preferences.js';
import { useAsked } from '../../features/payload/use-span-payload.js';
import { FindInText, MessagesPanel, SectionPanel } from './section-panel.js';
import type { Tab } from './trace-search.js';
import { useCapabilities } from '../../features/browser-session.js';
import { Button } from '../../components/button.js';
import { copyText, downloadText } from '../../components/save-text.js';
import { notify, notifyError } from '../../components/notify.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { AddToDataset } from '../../features/add-to-dataset/add-to-dataset.js';
import { spanAddress } from './use-trace-view.js';
import { isLlmCall } from '../../features/trace-span.js';
import styles from './span-details.module.css';

const FORMAT_CHOICES: readonly { value: Format; label: string }[] = [
  { value: 'rendered', label: 'Rendered' },
  { value: 'text', label: 'Text' },
  { value: 'json', label: 'JSON' },
];

/** The texts of a span in the format that the reader has chosen, with what can be done with them. */
export function SpanTexts({ span, payload, tab }: { span: SpanOutline; payload: OpenPayload; tab: Tab }) {
  const { format, wraps } = useReadingPreferences();
  const [sought, setSought] = useState('');
  const [at, setAt] = useState(0);
  const panel = useRef<HTMLDivElement>(null);
  const quickSought = useDeferredValue(sought);
  const isConversation = tab === 'messages' && format !== 'json';
  const section: Section = tab === 'messages' ? 'call' : tab;
  const { answer: matches } = useAsked(
    payload,
    'find',
    quickSought === '' || isConversation ? null : { section, format, sought: quickSought },
  );
  const [marked, setMarked] = useState(0);
  const count = isConversation ? marked : (matches?.length ?? 0);
  const shown = useMemo(() => matches?.[at % Math.max(1, matches.length)]?.from ?? -1, [matches, at]);
  const step = (direction: 1 | -1): void => {
    if (count === 0) return;
    const next = (at + direction + count) % count;
    setAt(next);
    if (isConversation) panel.current?.querySelectorAll('mark')[next]?.scrollIntoView({ block: 'center' });
  };
  return (
    <>
      <div className={styles.reading}>
        <ChoiceGroup
          label="Format"
          choices={FORMAT_CHOICES}
          value={format}
          onChange={(chosen) => {
            setReadingPreferences({ format: chosen });
            setAt(0);
          }}
        />
        <CheckboxField
          label="Wrap lines"
          checked={wraps}
          onChange={(event) => setReadingPreferences({ wraps: event.currentTarget.checked })}
        />
        <FindInText
          sought={sought}
          at={count === 0 ? -1 : at % count}
          count={count}
          onChange={(text) => {
            setSought(text);
            setAt(0);
          }}
          onStep={step}
        />
      </div>
      <SpanActions {...{ span, payload, section, format }} />
      <div ref={panel} className={styles.texts}>
        {isConversation ? (
          <MessagesPanel payload={payload} reading={{ format, wraps, sought: quickSought }} onMarked={setMarked} />
        ) : (
          <SectionPanel {...{ payload, section, format, wraps }} sought={quickSought} shownOffset={shown} />
        )}
      </div>
    </>
  );
}

interface SpanActionsProps {
  span: SpanOutline;
  payload: OpenPayload;
  section: Section;
  format: Format;
}

/** What can be done with a span and the text of it that is shown. */
function SpanActions({ span, payload, section, format }: SpanActionsProps) {
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
