import type { SpanOutline, SpanCost } from '@spandrel/contract';
import { useId, type KeyboardEvent, type Ref, useState, useDeferredValue, useRef, type ReactNode } from 'react';
import { BASE } from '../../api/project-base.js';
import { SHARE_TOKEN, EMBEDDED } from '../../api/share-token.js';
import { capitalized, formatCost, formatCostExactly } from '../../components/format.js';
import { copyAs, downloadText } from '../../components/save-text.js';
import { FaultNotice } from '../../components/page-parts.js';
import { preferences } from '../../components/preferences/use-preferences.js';
import { TabList, tabId } from '../../components/tab-list.js';
import { useDelayed } from '../../components/hooks.js';
import { FactList } from '../../features/fact-list.js';
import { ScoreList } from '../../features/scores/score-list.js';
import { useSpanPayload, useAsked } from '../../features/payload/use-span-payload.js';
import { isLlmCall, statusWordOf, measureOf } from '../../features/trace-span.js';
import { CommentsButton } from '../../features/comments/comments-button.js';
import { Button } from '../../components/button.js';
import { spanFacts } from './span-facts.js';
import { TABS, type Tab } from './trace-search.js';
import styles from './span-details.module.css';
import { formatCount } from '@spandrel/contract/browser';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { ScrolledTable } from '../../features/statistics/statistics-tables.js';
import { costSourceText, partName, unitText } from './cost-words.js';
import { useNavigate } from '@tanstack/react-router';
import { Icon } from '../../components/icon.js';
import { PageActions, type PageAction } from '../../components/page-actions.js';
import { ChoiceGroup } from '../../components/choice-group.js';
import type { OpenPayload } from '../../features/payload/payload-client.js';
import type { Format, Section } from '../../features/payload/payload-types.js';
import { setReadingPreferences, useReadingPreferences } from '../../features/payload/reading-preferences.js';
import { useCapabilities } from '../../features/browser-session.js';
import { notifyError } from '../../components/notify.js';
import { AddToDataset } from '../../features/add-to-dataset/add-selected.js';
import { FindField, MessagesPanel, SectionPanel } from './section-panel.js';
import { spanAddress } from './use-trace-view.js';

interface SpanDetailsProps {
  span: SpanOutline;
  /** The chosen tab; `undefined` for that which says most. */
  tab: Tab | undefined;
  onTab(tab: Tab): void;
  onLeave(): void;
  /** Whether it stands beside a list: it scrolls with what is around it, and begins with the last question. */
  isBrief?: boolean;
  ref?: Ref<HTMLElement>;
}

const TAB_ITEMS = TABS.map((id) => ({ id, label: capitalized(id) }));

/** Everything of one span. */
export function SpanDetails({ span, tab, onTab, onLeave, isBrief = false, ref }: SpanDetailsProps) {
  const panelId = useId();
  const status = statusWordOf(span);
  const { payload, error, retry } = useSpanPayload(span.id, status);
  const isSlow = useDelayed(payload === null && error === null);
  const shown = shownTab(span, tab);
  return (
    // The key is heard here wherever inside the focus is.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      ref={ref ?? null}
      aria-label="Span details"
      className={styles.details}
      data-brief={isBrief || undefined}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (isInDialog(event.target)) return;
        if (event.key === 'Escape') onLeave();
        else if (event.key === '/' && isShortcut(event)) findBoxIn(event.currentTarget)?.focus();
        else return;
        event.preventDefault();
      }}
    >
      <h2 dir="auto" className={styles.title}>
        {span.name === '' ? 'Unnamed span' : span.name}
      </h2>
      {status === 'failed' && <SpanError error={span.error ?? ''} />}
      <FactList label="Span facts" facts={spanFacts(span, payload?.summary ?? null)} />
      <ScoreList key={`scores ${span.id}`} label="Span scores" target={{ trace_id: span.trace_id, span_id: span.id }}>
        <CommentsButton target={{ target_type: 'span', target_id: span.id, parent_id: span.trace_id }} />
      </ScoreList>
      <CostDetails key={span.id} span={span} />
      <TabList
        label="Details"
        items={TAB_ITEMS.filter(({ id }) => id !== 'messages' || isLlmCall(span))}
        selected={shown}
        panelId={panelId}
        onSelect={onTab}
      />
      <div role="tabpanel" id={panelId} aria-labelledby={tabId(panelId, shown)} className={styles.panel}>
        <SpanTexts key={span.id} {...{ span, payload, isBrief }} tab={shown}>
          {error !== null && <FaultNotice title="The texts could not be loaded" error={error} onRetry={retry} />}
          {isSlow && <div className={styles.waiting} aria-hidden="true" />}
        </SpanTexts>
      </div>
    </section>
  );
}

/** `/` leads to the search box of the details while the focus is in them. */
const TYPED_INTO = 'input:not([type="radio"], [type="checkbox"])';

const isShortcut = ({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  preferences.get().singleKeys && !(target as Element).matches(TYPED_INTO) && !ctrlKey && !metaKey && !altKey;

const findBoxIn = (details: Element): HTMLElement | null => details.querySelector('input[type="search"]');

/** A dialog closes by the same key. */
const isInDialog = (target: EventTarget): boolean => target instanceof Element && target.closest('dialog') !== null;

/** Messages for a call of a model, else what came out, or went in where nothing has come out. */
function shownTab(span: SpanOutline, tab: Tab | undefined): Tab {
  if (tab !== undefined && (tab !== 'messages' || isLlmCall(span))) return tab;
  if (isLlmCall(span)) return 'messages';
  return span.output_bytes > 0 ? 'output' : 'input';
}

/** So much of a message is looked for: what follows is mostly ids and numbers of this one call. */
const SOUGHT_MAX = 200;

function SpanError({ error }: { error: string }) {
  const sought = new URLSearchParams({ status: 'failed', error_contains: error.slice(0, SOUGHT_MAX) });
  return (
    <div role="group" aria-label="Error" className={styles.error}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long message scrolls */}
      <pre className={styles.errorText} tabIndex={0}>
        {error === '' ? 'Failed without a message' : error}
      </pre>
      <div className={styles.buttons}>
        <Button icon="copy" onClick={() => void copyAs('the error', error)}>
          Copy
        </Button>
        {SHARE_TOKEN === null && <a href={`${BASE}/spans?${sought.toString()}`}>Find spans with this error</a>}
      </div>
    </div>
  );
}

function CostDetails({ span }: { span: SpanOutline }) {
  const [isOpen, setIsOpen] = useState(false);
  const cost = measureOf(span, 'cost');
  const used = (measureOf(span, 'total_tokens') ?? 0) > 0;
  if (statusWordOf(span) === 'running' || (cost === null && !used)) return null;
  return (
    <details className={styles.cost} onToggle={({ currentTarget: { open } }) => setIsOpen(open)}>
      <summary>{cost === null ? 'Why there is no cost' : 'How this cost was computed'}</summary>
      {isOpen && <AskedCost id={span.id} cost={cost} />}
    </details>
  );
}

/** @param cost another one is asked for again. */
function AskedCost({ id, cost }: { id: string; cost: number | null }) {
  const { data, error, refetch } = useQuery({
    queryKey: keys.spanCost(id, cost),
    queryFn: async ({ signal }) =>
      (await api.getSpan({ path: { id }, query: { include: 'cost' }, signal })).cost ?? null,
  });
  if (error) return <FaultNotice title="The cost could not be read" error={error} onRetry={() => void refetch()} />;
  return data ? <ShownCost cost={data} /> : null;
}

const COLUMNS = ['Part', 'Quantity', 'Price', 'Cost'];

function ShownCost({ cost }: { cost: SpanCost }) {
  const parts = cost.parts ?? [];
  return (
    <>
      <p>{costSourceText(cost)}</p>
      {parts.length > 0 && (
        <ScrolledTable caption="Parts of the cost" isCaptionHidden columns={COLUMNS}>
          {parts.map(({ part, quantity, unit_price: price, per, cost: dollars }) => (
            <tr key={part}>
              <th scope="row">{partName(part)}</th>
              <td>{formatCount(quantity)}</td>
              <td>{unitText(price, per)}</td>
              <td title={formatCostExactly(dollars)}>{formatCost(dollars)}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">Total</th>
            <td />
            <td />
            <td title={formatCostExactly(cost.total)}>{formatCost(cost.total)}</td>
          </tr>
        </ScrolledTable>
      )}
      {cost.total === null && (
        <p>
          <code>npx spandrel prices list</code> shows the prices that there are, and{' '}
          <code>npx spandrel prices apply</code> prices spans again once there is one.
        </p>
      )}
    </>
  );
}

const FORMAT_CHOICES: readonly { value: Format; label: string }[] = [
  { value: 'rendered', label: 'Rendered' },
  { value: 'text', label: 'Text' },
  { value: 'json', label: 'JSON' },
];

interface SpanTextsProps {
  span: SpanOutline;
  payload: OpenPayload | null;
  tab: Tab;
  isBrief: boolean;
  /** What stands in the place of texts that are not there. */
  children: ReactNode;
}

/** The texts of a span in the format that the reader has chosen, with what can be done with them. */
function SpanTexts({ span, payload, tab, isBrief, children }: SpanTextsProps) {
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
          <MessagesPanel
            payload={payload}
            reading={{ format, wraps, isBrief, sought: quickSought }}
            onMarked={setMarked}
          />
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
