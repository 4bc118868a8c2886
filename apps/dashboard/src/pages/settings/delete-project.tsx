import type { ProjectResource } from '@spandrel/contract';
import { useMutation } from '@tanstack/react-query';
import { deleteProject } from '../../api/administration.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { notify } from '../../components/notifications/notify.js';
import { useBrowserSession } from '../../features/sign-in/use-browser-session.js';
import { TypedConfirmation } from './typed-confirmation.js';

interface DeleteProjectProps {
  project: ProjectResource;
  onDeleted(): void;
  onClose(): void;
}

/** Deletes a project, once somebody typed its name. */
export function DeleteProject({ project, onDeleted, onClose }: DeleteProjectProps) {
  const isOwn = useBrowserSession()?.project?.id === project.id;
  const deletion = useMutation({
    mutationFn: () => deleteProject(project.id),
    onSuccess: () => {
      onClose();
      onDeleted();
      notify(`The project ${project.name} is out of reach and being deleted`);
    },
  });
  return (
    <TypedConfirmation
      title="Delete project?"
      label="Type the name of the project to confirm"
      isMeant={(typed) => typed === project.name.trim()}
      isPending={deletion.isPending}
      onConfirm={() => deletion.mutate()}
      onClose={onClose}
      fault={deletion.error && <FaultNotice title="The project could not be deleted" error={deletion.error} />}
    >
      <p>
        Within a second nobody reaches the project <bdi>{project.name}</bdi> any more, and its keys and sessions end.
        Its traces, datasets, evaluations, reviews and connections are deleted, and cannot be had back.
      </p>
      {isOwn && <p>It is the project that you are signed in to: you are signed out with it.</p>}
    </TypedConfirmation>
  );
}
