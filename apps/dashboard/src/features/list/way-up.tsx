import { Link, useNavigate } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import { capitalized, formatId } from '../../components/format.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { lastTraceList, searchOfList, stepsToList } from './list-memory.js';

/**
 * The way up to a list, with its filters and at the row one came from: Escape, and a link above the title.
 * @param path of the list; that from which a trace was opened where it is left out. @param group heading of the key.
 * @param name of the list, where its path does not say it. @returns the link, in its landmark.
 */
export function useWayUp(path: string | null, group: string, name?: string): ReactNode {
  const navigate = useNavigate();
  const to = path ?? lastTraceList()?.path ?? '/traces';
  const search = searchOfList(to);
  const goUp = (): void => {
    const steps = stepsToList(to);
    if (steps === null) void navigate({ to, search } as never);
    else history.go(steps);
  };
  useShortcuts([{ keys: 'Escape', label: 'Back to the list', group, run: goUp }]);
  const press = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    goUp();
  };
  return (
    <nav aria-label="Breadcrumb">
      <Link to={to} search={search as never} onClick={press} dir="auto">
        {name ?? nameOfList(to)}
      </Link>
    </nav>
  );
}

/** `Traces` for `/traces`, `Scoring rules` for `/scoring-rules`, `Session a` for `/sessions/a`, `Dataset` for `/datasets/ID`. */
function nameOfList(path: string): string {
  const [, section = '', id] = path.split('/');
  const name = capitalized(section.replaceAll('-', ' '));
  if (id === undefined) return name;
  return section === 'sessions' ? `Session ${formatId(decodeURIComponent(id))}` : name.slice(0, -1);
}
