import type { SpanOutline, TraceListItem } from '@spandrel/contract';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useRef, useState } from 'react';
import { formatCounted } from '@spandrel/contract/browser';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { isNotFound } from '../../api/api-error.js';
import { EmptyState, FaultNotice, PageHeading } from '../../components/page-parts.js';
import { useDelayed } from '../../components/hooks.js';
import { useWayUp, lastTraceList } from '../../features/list/list-memory.js';
import { DetailsSplitter, TraceView } from './trace-view.js';
import { SpanDetails } from './span-details.js';
import type { SpanTree } from './span-tree.js';
import { useTrace } from './use-trace.js';
import { useSpanSelection, useTraceAddress, traceLink } from './use-trace-view.js';
import { traceJsonAddress } from '../../api/trace.js';
import { Button } from '../../components/button.js';
import { copyText, followDownload } from '../../components/save-text.js';
import { notify, notifyError } from '../../components/notify.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { FactList } from '../../features/fact-list.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { nameOfTrace, traceAddress } from '../../features/addresses.js';
import { traceFacts } from './span-facts.js';
import { keys } from '../../api/keys.js';
import { deleteTrace } from '../../api/traces.js';
import { ConfirmDialog } from '../../components/dialog.js';
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

/** The trace as a whole, and what can be done with it. */
export function TraceHeader({ trace, isDeleted }: { trace: TraceListItem; isDeleted: boolean }) {
  const [isDeleting, setIsDeleting] = useState(false);
  const copyLink = (): void => copy('the link', traceLink(trace.id));
  const copyId = (): void => copy('the trace ID', trace.id);
  const download = (): void => followDownload(traceJsonAddress(trace.id), `trace-${trace.id}.json`);
  const { times } = usePreferences();
  useShortcuts([
    { keys: '', label: 'Copy link', group: 'Trace', run: copyLink },
    { keys: '', label: 'Copy trace ID', group: 'Trace', run: copyId },
    { keys: '', label: 'Download JSON', group: 'Trace', run: download },
    { keys: '', label: 'Delete trace', writes: true, group: 'Trace', run: () => setIsDeleting(!isDeleted) },
  ]);
  return (
    <header className={styles.header}>
      <PageHeading title={nameOfTrace(trace)}>
        <Neighbours id={trace.id} />
        <span className={styles.actions}>
          <Button icon="link" onClick={copyLink}>
            Copy link
          </Button>
          <Button icon="copy" onClick={copyId}>
            Copy trace ID
          </Button>
          <Button icon="download" onClick={download}>
            Download JSON
          </Button>
          <Button writes icon="trash" variant="danger" disabled={isDeleted} onClick={() => setIsDeleting(true)}>
            Delete trace
          </Button>
        </span>
      </PageHeading>
      {isDeleted && (
        <p role="status" className={styles.deleted}>
          This trace has been deleted. Only the part on screen is left.
        </p>
      )}
      <FactList label="Trace facts" facts={traceFacts(trace, times)} />
      {isDeleting && <DeleteTrace trace={trace} onClose={() => setIsDeleting(false)} />}
    </header>
  );
}

function copy(what: string, text: string): void {
  copyText(text).then(
    () => notify(`Copied ${what}`),
    (error: Error) => notifyError(`Could not copy ${what}`, error),
  );
}

/** The traces before and after this one in the list that it was opened from. */
function Neighbours({ id }: { id: string }) {
  const navigate = useNavigate();
  const ids = lastTraceList()?.ids ?? [];
  const at = ids.indexOf(id);
  const previous = at > 0 ? ids[at - 1] : undefined;
  const next = at === -1 ? undefined : ids[at + 1];
  const open = (to: string | undefined): void => {
    if (to !== undefined) void navigate({ to: traceAddress(to) });
  };
  useShortcuts([
    { keys: '[', label: 'Previous trace', group: 'Trace', run: () => open(previous) },
    { keys: ']', label: 'Next trace', group: 'Trace', run: () => open(next) },
  ]);
  return (
    <span className={styles.actions}>
      <Button icon="arrowUp" shortcut="[" disabled={previous === undefined} onClick={() => open(previous)}>
        Previous trace
      </Button>
      <Button icon="arrowDown" shortcut="]" disabled={next === undefined} onClick={() => open(next)}>
        Next trace
      </Button>
    </span>
  );
}

/** Asks whether the trace shall be deleted, deletes it, and leads back to the list. */
export function DeleteTrace({ trace, onClose }: { trace: TraceListItem; onClose(): void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const deletion = useMutation({
    mutationFn: () => deleteTrace(trace.id),
    onSuccess: async ({ spans_deleted: spans }) => {
      notify(`Deleted the trace with ${formatCounted(spans, 'span')}`);
      void queryClient.invalidateQueries({ queryKey: keys.traces() });
      // The page goes first: it would fetch again what is removed under it.
      await navigate({ to: '/traces' });
      queryClient.removeQueries({ queryKey: keys.trace(trace.id) });
    },
    onError: (error) => {
      onClose();
      notifyError('The trace could not be deleted', error);
    },
  });
  return (
    <ConfirmDialog
      title="Delete trace?"
      action="Delete"
      isBusy={deletion.isPending}
      onConfirm={() => deletion.mutate()}
      onClose={onClose}
    >
      <p>{formatCounted(trace.span_count, 'span')} with their inputs and outputs go with it. This cannot be undone.</p>
    </ConfirmDialog>
  );
}
