import { EVENT_TYPES, formatCounted, formatCount } from '@spandrel/contract/browser';
import { getRouteApi } from '@tanstack/react-router';
import { Button } from '../../components/button.js';
import { SelectField } from '../../components/field.js';
import { zoneName } from '../../components/format/format-time.js';
import { PageHeading } from '../../components/page-heading.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { EventList } from './event-list.js';
import type { EventsSearch } from './events-search.js';
import { useEventLog, type ShownLog } from './use-event-log.js';
import styles from './events-page.module.css';

const route = getRouteApi('/events');

const TYPES = [{ value: '', label: 'All types' }, ...EVENT_TYPES.map((type) => ({ value: type, label: type }))];

/** `/events`: what happens, as it happens. */
export function EventsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const type = EVENT_TYPES.find((known) => known === search.types);
  const log = useEventLog(type, search.since);
  const { times } = usePreferences();
  const choose = (changes: EventsSearch): void =>
    void navigate({ search: (before: EventsSearch) => ({ ...before, ...changes }) });
  const pause = (): void => log.pause(!log.isPaused);
  useShortcuts([{ keys: 'Space', label: 'Pause', group: 'Events', run: pause }]);
  return (
    <>
      <PageHeading title="Events" />
      <div className={styles.bar}>
        <SelectField
          label="Type"
          options={TYPES}
          value={type ?? ''}
          onChange={({ currentTarget: { value } }) => choose({ types: value === '' ? undefined : value })}
        />
        <Button shortcut="Space" aria-pressed={log.isPaused} onClick={pause}>
          Pause
        </Button>
        <Button onClick={log.clear}>Clear view</Button>
        <p className={styles.count}>
          {describeLog(log)} <span>Times in {zoneName(Date.now(), times)}</span>
        </p>
      </div>
      {log.isRefused && (
        <p role="alert" className={styles.refused}>
          The server refuses the stream of events, or does not answer. It is asked again every five seconds.
        </p>
      )}
      {log.isQueued && (
        <p role="status">
          Three other tabs show events already; a browser has no connection left for more. Events come when one of them
          is closed or hidden.
        </p>
      )}
      {log.events.length === 0 && (
        <div className={styles.nothing}>
          <p>
            {search.since === undefined
              ? 'What happens from now on is shown here: spans and traces that come, runs, reviews, captures.'
              : 'The log has no event after this one, or the view was cleared. What happens from now on is shown here.'}
          </p>
          {search.since === undefined && <Button onClick={() => choose({ since: '0' })}>Replay the log</Button>}
        </div>
      )}
      <EventList events={log.events} droppedCount={log.droppedCount} />
    </>
  );
}

/** `12 events`, with what is not shown. */
function describeLog({ events, isPaused, waitingCount, droppedCount }: ShownLog): string {
  const parts = [formatCounted(events.length, 'event')];
  if (droppedCount > 0) parts.push(`${formatCount(droppedCount)} older ones left the view`);
  if (isPaused) parts.push(`paused, ${formatCount(waitingCount)} waiting`);
  return `${parts.join(', ')}.`;
}
