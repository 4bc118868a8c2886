import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/api.js';
import { setLeaving } from '../api/go-to-sign-in.js';
import { keys } from '../api/keys.js';
import { readStored, store } from '../components/storage.js';
import { notifyOtherTabs } from './session-look.js';

/** The projects that a person may open. */
export const SESSION_PROJECTS = queryOptions({
  queryKey: keys.sessionProjects(),
  queryFn: ({ signal }) => api.listSessionProjects({ signal }),
});

/** Projects that were opened in this browser, the last one first; so many are kept. */
const RECENT = { key: 'spandrel.projects', max: 20 };
export const recentProjects = (): string[] => (readStored(RECENT.key) ?? '').split(' ');

/**
 * Starts over in another project: nothing of the one before stays in the tab.
 * @param leave leads to a page of it.
 * @throws Error when it could not be opened, 404 where one may not read it.
 */
export async function openProject(id: string, leave: () => void): Promise<void> {
  // The server refuses the earlier cookie from the moment at which it answers.
  setLeaving(true);
  try {
    await api.switchProject({ body: { project_id: id } });
    store(RECENT.key, [...new Set([id, ...recentProjects()])].slice(0, RECENT.max).join(' '));
    notifyOtherTabs();
    // Back may show this very page again.
    addEventListener('pageshow', () => setLeaving(false), { once: true });
    leave();
  } catch (error) {
    setLeaving(false);
    throw error;
  }
}
