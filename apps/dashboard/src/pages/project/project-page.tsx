import { Link, useParams, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { isNotFound } from '../../api/api-error.js';
import { notifyError } from '../../components/notify.js';
import { EmptyState, PageHeading } from '../../components/page-parts.js';
import { useBrowserSession } from '../../features/browser-session.js';
import { openProject } from '../../features/projects.js';

/** `/p/PROJECT/…`: leads to the page behind it, in the project that the address names. */
export function ProjectPage() {
  const { project = '' } = useParams({ strict: false });
  const { history } = useRouter();
  const session = useBrowserSession();
  const [isRefused, setIsRefused] = useState(false);
  useEffect(() => {
    if (session === undefined) return;
    const { pathname, search, hash } = location;
    const address = `/${pathname.split('/').slice(3).join('/')}${search}${hash}`;
    if (session.mode === 'local' || session.project?.id === project) return history.replace(address);
    openProject(project, () => location.replace(address)).catch((error: Error) =>
      isNotFound(error) ? setIsRefused(true) : notifyError('The project could not be opened', error),
    );
  }, [session, project, history]);
  if (!isRefused) return null;
  return (
    <>
      <PageHeading title="Another project" />
      <EmptyState title="This link leads to another project" action={<Link to="/traces">Go to Traces</Link>}>
        <p>You may not read that project, or it was deleted. Ask its administrator, or sign in with a key of it.</p>
      </EmptyState>
    </>
  );
}
