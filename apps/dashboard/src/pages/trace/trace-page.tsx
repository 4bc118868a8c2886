import type { SpanOutline } from '@spandrel/contract';
import { Link } from '@tanstack/react-router';
import { useCallback, useRef } from 'react';
import { isNotFound } from '../../api/api-error.js';
import { EmptyState } from '../../components/empty-state.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { PageHeading } from '../../components/page-heading.js';
import { useDelayed } from '../../components/use-delayed.js';
import { useWayUp } from '../../features/list-memory.js';
import { lastTraceList } from '../../features/trace-list-memory.js';
import { DetailsSplitter } from './details-splitter.js';
import { SpanDetails } from './span-details.js';
import type { SpanTree } from './span-tree.js';
import { TraceHeader } from './trace-header.js';
import { TraceView } from './trace-view.js';
import { useTrace } from './use-trace.js';
import { useSpanSelection, useTraceAddress } from './use-trace-address.js';
import styles from './trace-page.module.css';

/** `/traces/:id`: all spans of one trace, and one of them in detail. */
export function TracePage() {
  const { id, search, change } = useTraceAddress();
  const { query, model, trace, isDeleted } = useTrace(id);
  const { selected: spanId, select } = useSpanSelection(search.span, change);
  const details = useRef<HTMLElement>(null);
  const isSlow = useDelayed(query.isPending);
  useWayUp(pathOfList, 'Trace');
  const selected = model === null ? -1 : placeOfSelected(model.tree, spanId);
  const onSelect = useCallback(
    (place: number, by: 'key' | 'press') => {
      const span = model?.tree.spans[place];
      if (span !== undefined) select(span.id, by);
    },
    [model, select],
  );
  const onOpen = useCallback(() => details.current?.focus(), []);
  if (isNotFound(query.error)) return <TraceNotFound />;
  if (model === null || trace === null) {
    return (
      <>
        <PageHeading title="Trace" />
        {query.error && (
          <FaultNotice title="The trace could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
        )}
        {isSlow && <div className={styles.waiting} aria-hidden="true" />}
      </>
    );
  }
  // The tree holds the outlines themselves.
  const span = model.tree.spans[selected] as SpanOutline | undefined;
  return (
    <>
      <TraceHeader trace={trace} isDeleted={isDeleted} />
      {model.tree.spans.length === 0 ? (
        <EmptyState title="No spans yet">
          <p>They appear here as soon as they are recorded.</p>
        </EmptyState>
      ) : (
        <DetailsSplitter
          main={<TraceView traceId={id} {...{ model, search, change, selected, onSelect, onOpen }} />}
          side={
            span && (
              <SpanDetails
                ref={details}
                span={span}
                tab={search.tab}
                onTab={(tab) => change({ tab }, true)}
                onLeave={focusSpans}
              />
            )
          }
        />
      )}
    </>
  );
}

const pathOfList = (): string => lastTraceList()?.path ?? '/traces';

/** Gives the focus to the selected row, or to the flame graph. */
function focusSpans(): void {
  const row = '[role="treegrid"] [role="row"][aria-selected="true"], [role="application"]';
  document.querySelector<HTMLElement>(row)?.focus();
}

/** The first span is selected until another one is. */
function placeOfSelected(tree: SpanTree, id: string | undefined): number {
  const place = id === undefined ? -1 : tree.placeOf(id);
  return place === -1 && tree.spans.length > 0 ? 0 : place;
}

function TraceNotFound() {
  return (
    <>
      <PageHeading title="Trace not found" />
      <EmptyState title="There is no such trace in this project" action={<Link to="/traces">Go to Traces</Link>}>
        <p>It may have been deleted, or its address may have been cut.</p>
      </EmptyState>
    </>
  );
}
