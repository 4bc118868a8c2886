import type { TraceListItem } from '@spandrel/contract';
import { formatCount, formatCounted } from '@spandrel/contract/browser';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useId, type RefObject, type KeyboardEvent } from 'react';
import { PageActions } from '../../components/page-actions.js';
import { copyAs } from '../../components/save-text.js';
import { NotFound } from '../../components/not-found.js';
import { QueryFault, PageHeading } from '../../components/page-parts.js';
import { isNotFound } from '../../api/api-error.js';
import { Button } from '../../components/button.js';
import { formatId, formatDuration, formatCost, formatCostExactly } from '../../components/format.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { useDelayed } from '../../components/hooks.js';
import { FactList, type Fact } from '../../features/fact-list.js';
import { ScoreList } from '../../features/scores/score-list.js';
import { ScoreSumsCell } from '../../features/scores/score-sums.js';
import { useListPlace, rememberTraceList } from '../../features/list/list-memory.js';
import { useWayUp } from '../../features/list/way-up.js';
import { sessionAddress, traceAddress, nameOfTrace } from '../../features/addresses.js';
import { ShownMarkdown } from '../../features/messages/message-view.js';
import { setReadingPreferences, useReadingPreferences } from '../../features/payload/reading-preferences.js';
import { TraceLink } from '../../features/trace-link.js';
import { StatusBadge } from '../../components/badge.js';
import { ChoiceGroup } from '../../components/choice-group.js';
import { Time } from '../../components/time.js';
import { TURN_PREVIEW, useSession } from './use-session.js';
import styles from './session-page.module.css';

const route = getRouteApi('/sessions/$id');

/** `/sessions/:id`: the traces of a session as a conversation. */
export function SessionPage() {
  const { id } = route.useParams();
  const { query, turns, deleted } = useSession(id);
  const isSlow = useDelayed(query.isPending);
  const title = `Session ${formatId(id)}`;
  const wayUp = useWayUp('/sessions', 'Session');
  if (isNotFound(query.error) || (query.isSuccess && turns.length === 0)) {
    return (
      <NotFound what="Session" back={<Link to="/sessions">Go to Sessions</Link>}>
        Ids are compared exactly, with capital letters and blanks at the ends. Its traces may have been deleted.
      </NotFound>
    );
  }
  return (
    <>
      {wayUp}
      <PageHeading title={title}>
        <SessionActions id={id} />
      </PageHeading>
      <QueryFault title="The session could not be loaded" query={query} />
      {isSlow && <div className={styles.waiting} aria-hidden="true" />}
      {query.data && <Conversation {...{ id, query, turns, deleted }} />}
    </>
  );
}

function SessionActions({ id }: { id: string }) {
  const navigate = useNavigate();
  return (
    <span className="row">
      <PageActions
        group="Session"
        icons="narrow"
        actions={[
          {
            label: 'Copy link',
            icon: 'link',
            run: () => void copyAs('the link', location.href),
          },
          { label: 'Copy session ID', icon: 'copy', run: () => void copyAs('the session ID', id) },
          {
            label: 'Show as traces',
            isHidden: true,
            run: () => void navigate({ to: '/traces', search: { session_id: id } }),
          },
        ]}
      />
      <Link to="/traces" search={{ session_id: id }}>
        Show as traces
      </Link>
    </span>
  );
}

function Conversation({ id, query, turns, deleted }: { id: string } & ReturnType<typeof useSession>) {
  const feed = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const { hasNextPage, isFetching, isFetchingNextPage, fetchNextPage } = query;
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
      <ScoreList label="Session scores" target={{ session_id: id }} />
      <div>
        <FormatChoice />
      </div>
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
      {hasNextPage && <MoreTurns isBusy={isFetching} onMore={() => void fetchNextPage({ cancelRefetch: false })} />}
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

function MoreTurns({ isBusy, onMore }: { isBusy: boolean; onMore(): void }) {
  const end = useRef<HTMLParagraphElement>(null);
  const more = useEffectEvent(onMore);
  useEffect(() => {
    if (isBusy) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) more();
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

interface TurnProps {
  turn: TraceListItem;
  position: number;
  count: number;
  isDeleted: boolean;
  onFocus(id: string): void;
}

function Turn({ turn, position, count, isDeleted, onFocus }: TurnProps) {
  const id = useId();
  const { status, started_at: at, duration_ms: duration, scores, input_preview: asked, output_preview: answer } = turn;
  const facts = [...(duration === null ? [] : [formatDuration(duration)]), ...turnFacts(turn)];
  return (
    <article
      aria-labelledby={id}
      aria-posinset={position}
      aria-setsize={count}
      tabIndex={0}
      data-turn={turn.id}
      onFocus={() => onFocus(turn.id)}
      className={styles.turn}
      data-state={isDeleted ? 'deleted' : undefined}
    >
      <h2 id={id} className={styles.name}>
        <TraceLink trace={turn} />
      </h2>
      <p className={styles.facts}>
        <StatusBadge status={status} />
        <span>
          <Time at={at} />
        </span>
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
        {scores && Object.keys(scores).length > 0 && (
          <span>
            <ScoreSumsCell sums={scores} />
          </span>
        )}
        {isDeleted && <strong>Deleted</strong>}
      </p>
      {asked == null && answer == null ? (
        <p className="quiet">
          {status === 'running' ? 'No model call has been recorded yet.' : 'It made no model calls.'}
        </p>
      ) : (
        <>
          <Said who="User" text={asked ?? null} trace={turn} />
          <Said who="Assistant" text={answer ?? null} trace={turn} />
        </>
      )}
    </article>
  );
}

/** Whether turns are shown as markdown; it is what the reader chose for traces, where that is a form of text. */
function useIsRendered(): boolean {
  return useReadingPreferences().format === 'rendered';
}

function FormatChoice() {
  return (
    <ChoiceGroup
      label="Format"
      choices={[
        { value: 'rendered', label: 'Rendered' },
        { value: 'text', label: 'Text' },
      ]}
      value={useIsRendered() ? 'rendered' : 'text'}
      onChange={(format) => setReadingPreferences({ format })}
    />
  );
}

function Said({ who, text, trace }: { who: 'User' | 'Assistant'; text: string | null; trace: TraceListItem }) {
  const isRendered = useIsRendered();
  if (text === null) return null;
  const isCut = [...text].length >= TURN_PREVIEW;
  const shown = isCut ? `${text}…` : text;
  return (
    <div className={styles.said} data-who={who}>
      <h3>{who}</h3>
      {isRendered ? (
        <ShownMarkdown text={shown} />
      ) : (
        <p className={styles.text} dir="auto">
          {shown}
        </p>
      )}
      {isCut && (
        <p>
          <Link to={traceAddress(trace.id)}>
            Read all of it<span className="visually-hidden"> in {nameOfTrace(trace)}</span>
          </Link>
        </p>
      )}
    </div>
  );
}

const STEPS: Readonly<Record<string, number>> = { PageDown: 1, PageUp: -1, ArrowDown: 1, ArrowUp: -1 };

/** Moves the focus from article to article, after the ARIA feed pattern; arrows where an article itself has the focus. */
function onFeedKey(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key];
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const isInside =
    event.target instanceof Element && event.target.role !== 'article' && event.target.tagName !== 'ARTICLE';
  if (isInside && event.key.startsWith('Arrow')) return;
  if (focusTurn(event.currentTarget, step)) event.preventDefault();
}

/** Gives the focus to an article of a feed. @param step from the one that has it; the first one where none has. */
function focusTurn(feed: HTMLElement, step: number): boolean {
  const articles = [...feed.querySelectorAll<HTMLElement>(':scope > article')];
  const from = articles.findIndex((article) => article.contains(document.activeElement));
  const to = articles[from === -1 ? 0 : from + step];
  to?.focus();
  return to !== undefined;
}

function sessionFacts(turns: readonly TraceListItem[]): Fact[] {
  const sum = (of: (turn: TraceListItem) => number): number => turns.reduce((before, turn) => before + of(turn), 0);
  const costs = turns.flatMap(({ total_cost: cost }) => cost ?? []);
  const cost = costs.length === 0 ? null : costs.reduce((before, one) => before + one, 0);
  const users = [...new Set(turns.flatMap(({ user_id: user }) => user ?? []))];
  return [
    { name: 'Traces', value: formatCount(turns.length) },
    { name: 'Spans', value: formatCount(sum(({ span_count }) => span_count)) },
    { name: 'Errors', value: formatCount(sum(({ error_count }) => error_count)) },
    { name: 'Tokens', value: formatCount(sum(({ total_tokens }) => total_tokens)) },
    { name: 'Cost', value: formatCost(cost), exact: formatCostExactly(cost) },
    ...(users.length === 0
      ? []
      : [{ name: users.length === 1 ? 'User' : 'Users', value: '', links: users.map(linkOfUser) }]),
  ];
}

const linkOfUser = (user: string) => ({ value: formatId(user), to: '/traces', search: { user_id: user } });

function turnFacts(turn: TraceListItem): string[] {
  const { span_count: spans, error_count: errors, total_tokens: tokens, total_cost: cost } = turn;
  return [
    formatCounted(spans, 'span'),
    ...(errors > 0 ? [formatCounted(errors, 'error')] : []),
    ...(tokens > 0 ? [`${formatCount(tokens)} tokens`] : []),
    ...(cost === null ? [] : [formatCost(cost)]),
  ];
}
