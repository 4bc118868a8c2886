import type { BrowserSessionResource, SessionProjects } from '@spandrel/contract';
import { useQuery } from '@tanstack/react-query';
import { listSessionProjects, switchProject } from '../api/browser-session.js';
import { setLeaving } from '../api/go-to-sign-in.js';
import { keys } from '../api/keys.js';
import { ButtonMenuItem } from '../components/button-menu.js';
import { notifyError } from '../components/notifications/notify.js';
import { tellOtherTabs } from '../features/sign-in/other-tabs.js';

/** Entries of the account menu that lead a person to their other projects. */
export function SwitchProjectItems({ session }: { session: BrowserSessionResource }) {
  const { data } = useQuery({
    queryKey: keys.sessionProjects(),
    queryFn: listSessionProjects,
    enabled: session.kind === 'person',
  });
  const others = (data?.projects ?? []).filter(({ id }) => id !== session.project?.id);
  return others.map((project) => (
    <ButtonMenuItem key={project.id} onClick={() => void open(project)}>
      Open <bdi>{project.org.name}</bdi> / <bdi>{project.name}</bdi>
    </ButtonMenuItem>
  ));
}

/** Begins anew in another project: nothing of the one before stays in the tab. */
async function open({ id }: SessionProjects['projects'][number]): Promise<void> {
  // The server takes the cookie of before no more from the moment at which it answers.
  setLeaving(true);
  try {
    await switchProject(id);
    tellOtherTabs();
    // Back may show this very page again.
    addEventListener('pageshow', () => setLeaving(false), { once: true });
    location.assign('/');
  } catch (error) {
    setLeaving(false);
    notifyError('The project could not be opened', error as Error);
  }
}
