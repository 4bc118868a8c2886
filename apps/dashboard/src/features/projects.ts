import type { BrowserSessionResource } from '@spandrel/contract';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/api.js';
import { keys } from '../api/keys.js';
import { BASE } from '../api/project-base.js';
import { readStored, store } from '../components/storage.js';

/** The projects that a person may open. */
export const SESSION_PROJECTS = queryOptions({
  queryKey: keys.sessionProjects(),
  queryFn: ({ signal }) => api.listSessionProjects({ signal }),
});

/** Projects that were opened in this browser, the last one first; so many are kept. */
const RECENT = { key: 'spandrel.projects', max: 20 };
const recentProjects = (): string[] => (readStored(RECENT.key) ?? '').split(' ');

/** Notes that this browser opened a project. */
export const noteProject = (id: string): void =>
  store(RECENT.key, [...new Set([id, ...recentProjects()])].slice(0, RECENT.max).join(' '));

/** @returns all of the projects, those opened last here first. */
export function lastOpenedFirst<Project extends { id: string }>(projects: readonly Project[]): Project[] {
  const recent = recentProjects();
  const placeOf = ({ id }: Project): number => (recent.includes(id) ? recent.indexOf(id) : recent.length);
  return projects.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Where the pages of a project begin. */
export const projectAddress = (id: string): string => `/p/${encodeURIComponent(id)}/traces`;

/** Whether addresses are as this tab's: with their project in cloud mode, without in local mode. */
export const hasOwnAddress = ({ mode }: BrowserSessionResource): boolean => (BASE === '') === (mode === 'local');

/** Leads the tab to the same page at its {@link hasOwnAddress own address}. */
export async function leadToOwnAddress(session: BrowserSessionResource): Promise<void> {
  const { origin, pathname, search, hash } = location;
  const base = session.mode === 'local' ? '' : `/p/${encodeURIComponent(await projectOf(session))}`;
  location.replace(origin + base + pathname.slice(BASE.length) + search + hash);
}

/**
 * The project that a short address is of: the one that has what it names, else the one that was opened last here, of those that
 * the person may read.
 */
async function projectOf({ kind, project }: BrowserSessionResource): Promise<string> {
  const may = kind === 'person' ? (await api.listSessionProjects().catch(() => null))?.projects : undefined;
  const ids = lastOpenedFirst(may ?? []).map(({ id }) => id);
  return (await findHolder(ids)) ?? recentProjects().find((id) => ids.includes(id)) ?? project!.id;
}

const ASKED_AT_ONCE = 8;
/** Projects that were not opened in this browser; so many are asked. */
const OTHERS_ASKED = 20;
/** Addresses of pages of one object. */
const OBJECT_PAGES =
  /^\/(traces|sessions|users|datasets|evaluations|boards|alerts|scoring-rules)\/((?!(?:new|compare)$)[^/]+)/;

/**
 * The first of the projects that has what the address names; `undefined` where none of those asked has, where one before it did not
 * say, and where the address names nothing.
 */
async function findHolder(ids: readonly string[]): Promise<string | undefined> {
  const [, page, object] = OBJECT_PAGES.exec(location.pathname) ?? [];
  if (object === undefined || ids.length < 2) return undefined;
  const path = `${page === 'evaluations' ? 'eval' : page}/${object}`;
  const has = (id: string): Promise<boolean | null> =>
    fetch(`/p/${encodeURIComponent(id)}/api/${path}`, { method: 'HEAD' }).then(
      ({ ok, status }) => (status === 429 || status >= 500 ? null : ok),
      () => null,
    );
  const recent = recentProjects();
  const candidates = ids.slice(0, ids.filter((id) => recent.includes(id)).length + OTHERS_ASKED);
  for (let from = 0; from < candidates.length; from += ASKED_AT_ONCE) {
    const asked = candidates.slice(from, from + ASKED_AT_ONCE);
    const answers = await Promise.all(asked.map(has));
    const place = answers.findIndex((answer) => answer !== false);
    if (place !== -1) return answers[place] ? asked[place] : undefined;
  }
  return undefined;
}
