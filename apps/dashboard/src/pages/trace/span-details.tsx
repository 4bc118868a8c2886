import type { SpanOutline } from '@spandrel/contract';
import { useId, type KeyboardEvent, type Ref } from 'react';
import { SHARE_TOKEN } from '../../api/share-token.js';
import { capitalized } from '../../components/format.js';
import { copyAs } from '../../components/save-text.js';
import { FaultNotice } from '../../components/page-parts.js';
import { preferences } from '../../components/preferences/use-preferences.js';
import { TabList, tabId } from '../../components/tab-list.js';
import { useDelayed } from '../../components/hooks.js';
import { FactList } from '../../features/fact-list.js';
import { ScoreList } from '../../features/scores/score-list.js';
import { useSpanPayload } from '../../features/payload/use-span-payload.js';
import { isLlmCall, statusWordOf } from '../../features/trace-span.js';
import { CommentsButton } from '../../features/comments/comments-button.js';
import { Button } from '../../components/button.js';
import { CostDetails } from './cost-details.js';
import { spanFacts } from './span-facts.js';
import { SpanTexts } from './span-texts.js';
import { TABS, type Tab } from './trace-search.js';
import styles from './span-details.module.css';

interface SpanDetailsProps {
  span: SpanOutline;
  /** The chosen tab; `undefined` for that which says most. */
  tab: Tab | undefined;
  onTab(tab: Tab): void;
  /** Escape leads back to where the span was chosen. */
  onLeave(): void;
  ref?: Ref<HTMLElement>;
}

const TAB_ITEMS = TABS.map((id) => ({ id, label: capitalized(id) }));

/** Everything of one span. */
export function SpanDetails({ span, tab, onTab, onLeave, ref }: SpanDetailsProps) {
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
        <SpanTexts key={span.id} span={span} payload={payload} tab={shown}>
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

/** Why a span failed: the whole message, and the way to others like it. */
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
        {SHARE_TOKEN === null && <a href={`/spans?${sought.toString()}`}>Find spans with this error</a>}
      </div>
    </div>
  );
}
