import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react';
import { isNotFound } from '../../api/api-error.js';
import { Button } from '../../components/button.js';
import { copyText } from '../../components/copy-text.js';
import { EmptyState } from '../../components/empty-state.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { formatId } from '../../components/format/format-id.js';
import { notify, notifyError } from '../../components/notifications/notify.js';
import { PageHeading } from '../../components/page-heading.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { useDelayed } from '../../components/use-delayed.js';
import { FactList } from '../../features/facts/fact-list.js';
import { useWayUp } from '../../features/list-memory.js';
import { useListPlace } from '../../features/list-place.js';
import { sessionAddress } from '../../features/session-link.js';
import { traceAddress } from '../../features/trace-link.js';
import { rememberTraceList } from '../../features/trace-list-memory.js';
import { focusTurn, onFeedKey } from './feed-keys.js';
import { sessionFacts } from './session-facts.js';
import { Turn } from './turn.js';
import { useSession } from './use-session.js';
import styles from './session-page.module.css';

const route = getRouteApi('/sessions/$id');

/** `/sessions/:id`: the traces of a session as a conversation. */
export function SessionPage() {
  const { id } = route.useParams();
  const { query, turns, deleted } = useSession(id);
  const isSlow = useDelayed(query.isPending);
  const title = `Session ${formatId(id)}`;
  useWayUp(() => '/sessions', 'Session');
  if (isNotFound(query.error) || (query.isSuccess && turns.length === 0)) return <SessionNotFound />;
  return (
    <>
      <PageHeading title={title}>
        <SessionActions id={id} />
      </PageHeading>
      {query.error && (
        <FaultNotice title="The session could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
      )}
      {isSlow && <div className={styles.waiting} aria-hidden="true" />}
      {query.data && <Conversation {...{ id, query, turns, deleted }} />}
    </>
  );
}

function SessionActions({ id }: { id: string }) {
  const navigate = useNavigate();
  const copy = (what: string, text: string): void => {
    copyText(text).then(
      () => notify(`Copied ${what}`),
      (error: Error) => notifyError(`Could not copy ${what}`, error),
    );
  };
  const copyLink = (): void => copy('the link', location.href);
  const copyId = (): void => copy('the session ID', id);
  const showTraces = (): void => void navigate({ to: '/traces', search: { session_id: id } });
  useShortcuts([
    { keys: '', label: 'Copy link', group: 'Session', run: copyLink },
    { keys: '', label: 'Copy session ID', group: 'Session', run: copyId },
    { keys: '', label: 'Show as traces', group: 'Session', run: showTraces },
  ]);
  return (
    <span className={styles.actions}>
      <Button icon="link" onClick={copyLink}>
        Copy link
      </Button>
      <Button icon="copy" onClick={copyId}>
        Copy session ID
      </Button>
      <Link to="/traces" search={{ session_id: id }}>
        Show as traces
      </Link>
    </span>
  );
}

function Conversation({ id, query, turns, deleted }: { id: string } & ReturnType<typeof useSession>) {
  const feed = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const onFocus = useReturnedFocus(feed);
  // A trace that is opened from here has these as its neighbours.
  useEffect(() => rememberTraceList({ path: sessionAddress(id), search: {}, ids: turns.map((turn) => turn.id) }));
  const move = (step: number): void => void (feed.current && focusTurn(feed.current, step));
  const open = (): void => {
    const at = document.activeElement?.closest('article')?.getAttribute('aria-posinset');
    const turn = turns[Number(at) - 1];
    if (turn !== undefined) void navigate({ to: traceAddress(turn.id) });
  };
  useShortcuts([
    { keys: 'j', label: 'Next turn', group: 'Session', run: () => move(1) },
    { keys: 'k', label: 'Previous turn', group: 'Session', run: () => move(-1) },
  ]);
  return (
    <>
      {!hasNextPage && <FactList label="Session facts" facts={sessionFacts(turns)} />}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- keys of the articles, which have the focus */}
      <div
        ref={feed}
        role="feed"
        aria-label="Turns"
        aria-busy={isFetchingNextPage}
        className={styles.feed}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && event.target instanceof Element && event.target.tagName === 'ARTICLE') open();
          else onFeedKey(event);
        }}
      >
        {turns.map((turn, at) => (
          <Turn
            key={turn.id}
            turn={turn}
            position={at + 1}
            count={hasNextPage ? -1 : turns.length}
            isDeleted={deleted.has(turn.id)}
            onFocus={onFocus}
          />
        ))}
      </div>
      {hasNextPage && <MoreTurns isBusy={isFetchingNextPage} onMore={() => void fetchNextPage()} />}
    </>
  );
}

/** Gives the focus back to the turn that had it when the reader left. @returns what notes the turn that has it. */
function useReturnedFocus(feed: RefObject<HTMLElement | null>): (turnId: string) => void {
  const { place, onPlace } = useListPlace();
  useLayoutEffect(() => {
    if (place?.key == null) return;
    feed.current?.querySelector<HTMLElement>(`[data-turn="${CSS.escape(place.key)}"]`)?.focus();
    // Only what the page began with counts.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  return (turnId) => onPlace({ scrollTop: 0, key: turnId });
}

/** The end of what was read: more is read as soon as it comes into view, or when the button is pressed. */
function MoreTurns({ isBusy, onMore }: { isBusy: boolean; onMore(): void }) {
  const end = useRef<HTMLParagraphElement>(null);
  const more = useRef(onMore);
  useEffect(() => {
    more.current = onMore;
  });
  useEffect(() => {
    if (isBusy) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) more.current();
    });
    observer.observe(end.current!);
    return () => observer.disconnect();
  }, [isBusy]);
  return (
    <p ref={end} className={styles.more}>
      <Button onClick={onMore} disabled={isBusy}>
        Show more turns
      </Button>
    </p>
  );
}

function SessionNotFound() {
  return (
    <>
      <PageHeading title="Session not found" />
      <EmptyState
        title="No trace in this project has this session id"
        action={<Link to="/sessions">Go to Sessions</Link>}
      >
        <p>Ids are compared exactly: capital letters and blanks at the ends count. Its traces may have been deleted.</p>
      </EmptyState>
    </>
  );
}
