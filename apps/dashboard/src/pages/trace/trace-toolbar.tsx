import type { Ref } from 'react';
import { formatCount, formatCounted } from '@spandrel/contract/browser';
import { Button } from '../../components/button.js';
import { TextField } from '../../components/field.js';
import { TabList } from '../../components/tabs/tab-list.js';
import type { Only, View } from './trace-search.js';
import styles from './trace-page.module.css';

interface TraceToolbarProps {
  findBox: Ref<HTMLInputElement>;
  find: string;
  only: readonly Only[];
  view: View;
  panelId: string;
  /** Spans that match; `null` where nothing is asked for. */
  matches: number | null;
  spans: number;
  isSearching: boolean;
  onFind(find: string): void;
  onOnly(only: Only): void;
  onView(view: View): void;
  /** Enter in the search box goes to the next match. */
  onStep(direction: 1 | -1): void;
}

const VIEW_TABS: readonly { id: View; label: string; shortcut: string }[] = [
  { id: 'waterfall', label: 'Waterfall', shortcut: '1' },
  { id: 'tree', label: 'Tree', shortcut: '2' },
  { id: 'flame', label: 'Flame', shortcut: '3' },
];

/** What of the trace is shown, and how. */
export function TraceToolbar(props: TraceToolbarProps) {
  const { findBox, find, only, view, panelId, matches, spans, isSearching, onFind, onOnly, onView, onStep } = props;
  return (
    <div className={styles.toolbar}>
      <TextField
        ref={findBox}
        label="Find in trace"
        isLabelHidden
        type="search"
        placeholder="Find in trace"
        className={styles.find}
        value={find}
        onChange={(event) => onFind(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1);
          else if (event.key === 'Escape' && find !== '') onFind('');
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <Button aria-pressed={only.includes('errors')} onClick={() => onOnly('errors')}>
        Errors only
      </Button>
      <Button aria-pressed={only.includes('llm')} onClick={() => onOnly('llm')}>
        LLM calls only
      </Button>
      <span role="status" aria-label="Matches" className={styles.matches}>
        {matches !== null && `${formatCount(matches)} of ${formatCounted(spans, 'span')}`}
        {isSearching && ' …'}
      </span>
      <TabList label="View" items={VIEW_TABS} selected={view} panelId={panelId} onSelect={onView} />
    </div>
  );
}
