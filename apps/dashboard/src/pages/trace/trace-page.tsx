import type { SpanOutline, TraceListItem } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState, type ReactNode } from 'react';
import { useQueryClient, useMutation } from '@tanstack/react-query';
import { BASE } from '../../api/project-base.js';
import { PageActions } from '../../components/page-actions.js';
import { copyAs, followDownload } from '../../components/save-text.js';
import { NotFound } from '../../components/not-found.js';
import { QueryFault, EmptyState, PageHeading, FaultNotice } from '../../components/page-parts.js';
import { useCapabilities } from '../../features/browser-session.js';
import { ConfirmAction } from '../../features/dialogs.js';
import { ReplayDialog, useReplays } from '../../features/replay/replay-button.js';
import { api } from '../../api/api.js';
import { isNotFound } from '../../api/api-error.js';
import { SHARE_TOKEN } from '../../api/share-token.js';
import { useDelayed } from '../../components/hooks.js';
import { useWayUp } from '../../features/list/way-up.js';
import { Neighbours } from '../../features/list/neighbours.js';
import { nameOfTrace, traceAddress } from '../../features/addresses.js';
import { keys } from '../../api/keys.js';
import { DetailsSplitter, TraceView } from './trace-view.js';
import { SpanDetails } from './span-details.js';
import type { SpanTree } from './span-tree.js';
import { useTrace } from './use-trace.js';
import { useSpanSelection, useTraceAddress, traceLink } from './use-trace-view.js';
import { TraceFacts } from './trace-facts.js';
import styles from './trace-page.module.css';
import { Button } from '../../components/button.js';
import { CopyButton } from '../../components/copy-button.js';
import { Dialog } from '../../components/dialog.js';
import { TextField } from '../../components/field.js';
import { Time } from '../../components/time.js';

/** `/traces/:id`: all spans of one trace, and one of them in detail. */
export function TracePage() {
  const { id, search, change } = useTraceAddress();
  const { query, model, trace, isDeleted } = useTrace(id);
  const { selected: spanId, select } = useSpanSelection(search.span, change);
  const details = useRef<HTMLElement>(null);
  const isSlow = useDelayed(query.isPending);
  const wayUp = useWayUp(null, 'Trace');
  const selected = model === null ? -1 : placeOfSelected(model.tree, spanId);
  const onSelect = (place: number, by: 'key' | 'press'): void => {
    const span = model?.tree.spans[place];
    if (span !== undefined) select(span.id, by);
  };
  const onOpen = (): void => details.current?.focus();
  if (isNotFound(query.error)) {
    const back = SHARE_TOKEN === null && <Link to="/traces">Go to Traces</Link>;
    return <NotFound what={SHARE_TOKEN === null ? 'Trace' : 'Shared trace'} back={back} />;
  }
  if (model === null || trace === null) {
    return (
      <>
        {wayUp}
        <PageHeading title="Trace" />
        <QueryFault title="The trace could not be loaded" query={query} />
        {isSlow && <div className={styles.waiting} aria-hidden="true" />}
      </>
    );
  }
  // The tree holds the outlines themselves.
  const span = model.tree.spans[selected] as SpanOutline | undefined;
  return (
    <>
      <TraceHeader {...{ trace, isDeleted }} wayUp={SHARE_TOKEN === null && wayUp} />
      {model.tree.spans.length === 0 ? (
        <EmptyState title="No spans yet">
          <p>They appear here as soon as they are recorded.</p>
        </EmptyState>
      ) : (
        <DetailsSplitter
          main={<TraceView traceId={trace.id} {...{ model, search, change, selected, onSelect, onOpen }} />}
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

function focusSpans(): void {
  const row = '[role="treegrid"] [role="row"][aria-selected="true"]';
  const inGraph = '[role="application"][tabindex], [role="application"] [tabindex="0"]';
  document.querySelector<HTMLElement>(`${row}, ${inGraph}`)?.focus();
}

function placeOfSelected(tree: SpanTree, id: string | undefined): number {
  const place = id === undefined ? -1 : tree.placeOf(id);
  return place === -1 && tree.spans.length > 0 ? 0 : place;
}

interface TraceHeaderProps {
  trace: TraceListItem;
  isDeleted: boolean;
  wayUp: ReactNode;
}

function TraceHeader({ trace, isDeleted, wayUp }: TraceHeaderProps) {
  return (
    <header className={styles.header}>
      {wayUp}
      <PageHeading title={nameOfTrace(trace)}>
        {SHARE_TOKEN === null && <TraceActions {...{ trace, isDeleted }} />}
      </PageHeading>
      {isDeleted && (
        <p role="status" className="failed">
          This trace has been deleted. Only what is on screen is left.
        </p>
      )}
      <TraceFacts trace={trace} />
    </header>
  );
}

function TraceActions({ trace, isDeleted }: { trace: TraceListItem; isDeleted: boolean }) {
  const [opened, setOpened] = useState<'share' | 'replay' | 'delete' | null>(null);
  const mayShare = useCapabilities()?.sharing === true && !isDeleted;
  const share = { label: 'Share', icon: 'link', writes: true, run: () => setOpened('share') } as const;
  const replay = { label: 'Replay', icon: 'play', writes: true, run: () => setOpened('replay') } as const;
  const replays = useReplays() && !isDeleted;
  const close = (): void => setOpened(null);
  return (
    <>
      <span className={styles.actions}>
        <Neighbours id={trace.id} one="trace" labelOf={(step) => `${step} trace`} addressOf={traceAddress} />
      </span>
      <span className={styles.actions}>
        <PageActions
          group="Trace"
          icons="narrow"
          actions={[
            ...(mayShare ? [share] : []),
            ...(replays ? [replay] : []),
            { label: 'Copy link', icon: 'link', run: () => void copyAs('the link', traceLink(trace.id)) },
            { label: 'Copy trace ID', icon: 'copy', run: () => void copyAs('the trace ID', trace.id) },
            {
              label: 'Download as one file',
              icon: 'file',
              run: () =>
                followDownload(`${BASE}/api/traces/${encodeURIComponent(trace.id)}/bundle`, `trace-${trace.id}.html`),
            },
            {
              label: 'Download JSON',
              icon: 'download',
              run: () => followDownload(`${BASE}/api/traces/${encodeURIComponent(trace.id)}`, `trace-${trace.id}.json`),
            },
            {
              ...{ label: 'Delete trace', icon: 'trash', variant: 'danger', writes: true },
              disabled: isDeleted,
              run: () => setOpened('delete'),
            },
          ]}
        />
      </span>
      {opened === 'share' && <ShareDialog traceId={trace.id} onClose={close} />}
      {opened === 'replay' && (
        <ReplayDialog
          source={{ filters: { trace_id: trace.id } }}
          what="The calls of models of this trace."
          name={nameOfTrace(trace)}
          onClose={close}
        />
      )}
      {opened === 'delete' && <DeleteTrace trace={trace} onClose={close} />}
    </>
  );
}

function DeleteTrace({ trace, onClose }: { trace: TraceListItem; onClose(): void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const leave = async (): Promise<void> => {
    void queryClient.invalidateQueries({ queryKey: keys.traces() });
    // The page goes first: it would fetch again what is removed under it.
    await navigate({ to: '/traces' });
    queryClient.removeQueries({ queryKey: keys.trace(trace.id) });
  };
  return (
    <ConfirmAction
      title="Delete trace?"
      action="Delete"
      act={() => api.deleteTrace({ path: { id: trace.id } })}
      onDone={() => void leave()}
      done={({ spans_deleted: spans }) => `Deleted the trace with ${formatCounted(spans, 'span')}`}
      failed="The trace could not be deleted"
      onClose={onClose}
    >
      <p>
        This deletes its {formatCounted(trace.span_count, 'span')} with their inputs and outputs. It cannot be undone.
      </p>
    </ConfirmAction>
  );
}

/** Makes a link that opens the trace without signing in. It is shown this once. */
function ShareDialog({ traceId, onClose }: { traceId: string; onClose(): void }) {
  const { data, error, isPending, mutate } = useMutation({
    mutationFn: () => api.createShare({ body: { trace_id: traceId } }),
  });
  const link = data && location.origin + data.path;
  return (
    <Dialog
      title="Share trace"
      size="small"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{link ? 'Close' : 'Cancel'}</Button>
          {link ? (
            <CopyButton text={link}>Copy link</CopyButton>
          ) : (
            <Button variant="primary" disabled={isPending} onClick={() => mutate()}>
              Create link
            </Button>
          )}
        </>
      }
    >
      <p>
        Anyone who has the link can read this trace, and nothing else, without signing in
        {data ? (
          <>
            {' '}
            until <Time at={data.expires_at} />. Settings can revoke it.
          </>
        ) : (
          ' for 7 days.'
        )}
      </p>
      {link && <TextField label="Link" value={link} readOnly onFocus={({ target }) => target.select()} />}
      {error && <FaultNotice title="The link could not be made" error={error} />}
    </Dialog>
  );
}
