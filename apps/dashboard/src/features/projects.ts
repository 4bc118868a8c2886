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

/** The project that a short address is of: the one that was opened last here, where the person may still read it. */
async function projectOf({ kind, project }: BrowserSessionResource): Promise<string> {
  const may = kind === 'person' ? (await api.listSessionProjects().catch(() => null))?.projects : undefined;
  return recentProjects().find((id) => may?.some((one) => one.id === id)) ?? project!.id;
}
