import type { SpanOutline } from '@spandrel/contract';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { SelectField } from '../../components/field.js';
import { useSettled } from '../../components/hooks.js';
import { QueryFault } from '../../components/page-parts.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { nameOfSpan, nameOfTrace, traceAddress } from '../../features/addresses.js';
import type { TracePeekProps } from '../../features/list/trace-peek.js';
import { isLlmCall } from '../../features/trace-span.js';
import { SpanDetails } from './span-details.js';
import { TraceFacts } from './trace-facts.js';
import type { Tab } from './trace-search.js';
import type { SpanTree } from './span-tree.js';
import { useTrace } from './use-trace.js';
import styles from './trace-peek.module.css';

/** Keys run through rows faster than traces are read. */
const PAUSE_MS = 80;
const OFFERED_MAX = 500;

/** A trace beside the list that it is in: its facts, and one of its spans in detail. */
export function TracePeekRegion({ traceId: current, spanId, onClose }: TracePeekProps) {
  const traceId = useSettled(current, PAUSE_MS);
  const { query, model, trace } = useTrace(traceId);
  const [chosen, setChosen] = useState<string>();
  const [tab, setTab] = useState<Tab>();
  useShortcuts([{ keys: 'Escape', label: 'Close the trace beside the list', group: 'Lists', run: onClose }]);
  const span = model === null ? undefined : findShown(model.tree, [chosen, spanId]);
  return (
    <section aria-label="Peek" className={styles.peek}>
      <div className={styles.head}>
        <h2 dir="auto">
          <Link to={traceAddress(traceId)} {...(span && { search: { span: span.id } as never })}>
            {trace === null ? 'Trace' : nameOfTrace(trace)}
          </Link>
        </h2>
        <Button variant="quiet" icon="close" iconOnly shortcut="Esc" onClick={onClose}>
          Close
        </Button>
      </div>
      <QueryFault title="The trace could not be loaded" query={query} />
      {model !== null && model.tree.spans.length > 1 && (
        <SelectField
          label="Span"
          isLabelHidden
          options={optionsOf(model.tree, span)}
          value={span?.id ?? ''}
          onChange={({ target }) => setChosen(target.value)}
        />
      )}
      {span && <SpanDetails isBrief span={span} tab={tab} onTab={setTab} onLeave={onClose} />}
      {trace && <TraceFacts trace={trace} />}
    </section>
  );
}

/** The first of these spans that the trace has, else its last call of a model, which has the whole conversation. */
function findShown({ spans, placeOf }: SpanTree, ids: readonly (string | undefined)[]): SpanOutline | undefined {
  const place = ids.map((id) => (id === undefined ? -1 : placeOf(id))).find((at) => at !== -1);
  // The tree holds the outlines themselves.
  const outlines = spans as readonly SpanOutline[];
  return place === undefined ? (outlines.findLast(isLlmCall) ?? outlines[0]) : outlines[place];
}

/** The spans in the order of the trace, each as far to the right as it is deep. */
function optionsOf({ spans, depth }: SpanTree, shown: SpanOutline | undefined) {
  const options = spans.slice(0, OFFERED_MAX).map((span, place) => ({
    value: span.id,
    label: `${'\u2003'.repeat(Math.min(depth[place]!, 8))}${nameOfSpan(span)}`,
  }));
  const isOffered = shown === undefined || options.some(({ value }) => value === shown.id);
  return isOffered ? options : [{ value: shown.id, label: nameOfSpan(shown) }, ...options];
}
