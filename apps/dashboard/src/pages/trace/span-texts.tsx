import type { SpanOutline } from '@spandrel/contract';
import { formatCount } from '@spandrel/contract/browser';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useRef, useState, type ReactNode } from 'react';
import { EMBEDDED } from '../../api/share-token.js';
import { Icon } from '../../components/icon.js';
import { PageActions, type PageAction } from '../../components/page-actions.js';
import { copyAs, downloadText } from '../../components/save-text.js';
import { ChoiceGroup } from '../../components/choice-group.js';
import type { OpenPayload } from '../../features/payload/payload-client.js';
import type { Format, Section } from '../../features/payload/payload-types.js';
import { setReadingPreferences, useReadingPreferences } from '../../features/payload/reading-preferences.js';
import { useAsked } from '../../features/payload/use-span-payload.js';
import { useCapabilities } from '../../features/browser-session.js';
import { notifyError } from '../../components/notify.js';
import { AddToDataset } from '../../features/add-to-dataset/add-to-dataset.js';
import { isLlmCall } from '../../features/trace-span.js';
import { FindField, MessagesPanel, SectionPanel } from './section-panel.js';
import type { Tab } from './trace-search.js';
import { spanAddress } from './use-trace-view.js';
import styles from './span-details.module.css';

const FORMAT_CHOICES: readonly { value: Format; label: string }[] = [
  { value: 'rendered', label: 'Rendered' },
  { value: 'text', label: 'Text' },
  { value: 'json', label: 'JSON' },
];

interface SpanTextsProps {
  span: SpanOutline;
  /** `null` while the texts are fetched. */
  payload: OpenPayload | null;
  tab: Tab;
  /** What stands in the place of texts that are not there. */
  children: ReactNode;
}

/** The texts of a span in the format that the reader has chosen, with what can be done with them. */
export function SpanTexts({ span, payload, tab, children }: SpanTextsProps) {
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
  const shown = matches?.[at % Math.max(1, matches.length)]?.from ?? -1;
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
        <div className={styles.find}>
          <FindField
            label="Find in text"
            value={sought}
            onChange={(text) => {
              setSought(text);
              setAt(0);
            }}
            onStep={step}
          />
          <span role="status" aria-label="Found in text" className={styles.found}>
            {sought !== '' && (count === 0 ? 'None' : `${formatCount((at % count) + 1)} of ${formatCount(count)}`)}
          </span>
        </div>
        <span className={styles.actions}>
          <label className={styles.wrap} title="Wrap lines">
            <input
              type="checkbox"
              aria-label="Wrap lines"
              checked={wraps}
              onChange={({ target }) => setReadingPreferences({ wraps: target.checked })}
            />
            <Icon name="wrap" />
          </label>
          <SpanActions {...{ span, payload, section, format }} />
        </span>
      </div>
      <div ref={panel} className={styles.texts}>
        {payload === null ? (
          children
        ) : isConversation ? (
          <MessagesPanel payload={payload} reading={{ format, wraps, sought: quickSought }} onMarked={setMarked} />
        ) : (
          <SectionPanel {...{ payload, section, format, wraps }} sought={quickSought} shownOffset={shown} />
        )}
      </div>
    </>
  );
}

interface SpanActionsProps extends Pick<SpanTextsProps, 'span' | 'payload'> {
  section: Section;
  format: Format;
}

function SpanActions({ span, payload, section, format }: SpanActionsProps) {
  const capabilities = useCapabilities();
  const disabled = payload === null;
  const shownText = async (): Promise<string> =>
    (await payload!.ask(format === 'json' ? 'json' : 'text', { section })).text;
  const download = (): void => {
    const [ending, type] = format === 'json' ? ['json', 'application/json'] : ['txt', 'text/plain'];
    shownText().then(
      (text) => downloadText(`${span.name}-${section}.${ending}`, text, type),
      (error: Error) => notifyError('The text could not be saved', error),
    );
  };
  const url = isLlmCall(span) ? capabilities?.gateway_url : null;
  const askCurl = (): Promise<string> => payload!.ask('curl', { url: url!, isCloud: capabilities?.mode === 'cloud' });
  const [isAdding, setIsAdding] = useState(false);
  const navigate = useNavigate();
  const tryAgain: PageAction = {
    ...{ label: 'Try again', icon: 'play', keys: 't', writes: true },
    run: () => void navigate({ to: '/try', search: { span: span.id } }),
  };
  const actions: PageAction[] = [
    { label: 'Copy text', short: 'Copy', icon: 'copy', disabled, run: () => void copyAs('the text', shownText()) },
    { label: 'Add to dataset', icon: 'plus', keys: 'd', writes: true, run: () => setIsAdding(true) },
    ...(isLlmCall(span) && capabilities?.features.includes('replay') ? [tryAgain] : []),
    { label: 'Download text', short: 'Download', disabled, isRare: true, run: download },
    { label: 'Copy span ID', isRare: true, run: () => void copyAs('the span ID', span.id) },
  ];
  const link = (): void => void copyAs('the link to the span', spanAddress(span));
  // A file has no address that others could open.
  if (!EMBEDDED) actions.splice(1, 0, { label: 'Copy span link', icon: 'link', keys: 'c', run: link });
  if (url)
    actions.push({
      label: 'Copy as curl',
      icon: 'terminal',
      disabled,
      run: () => void copyAs('the command', askCurl()),
    });
  return (
    <>
      <PageActions group="Span" icons="always" actions={actions} />
      {isAdding && <AddToDataset spanId={span.id} payload={payload} onClose={() => setIsAdding(false)} />}
    </>
  );
}
