import type { KeyResource } from '@spandrel/contract';
import { useMutation } from '@tanstack/react-query';
import { deleteKey } from '../../api/administration.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { notify, notifyError } from '../../components/notifications/notify.js';
import { useBrowserSession } from '../../features/sign-in/use-browser-session.js';

interface RevokeKeyProps {
  revoked: KeyResource;
  onRevoked(): void;
  onClose(): void;
}

/** Asks whether a key shall be revoked, and revokes it. */
export function RevokeKey({ revoked, onRevoked, onClose }: RevokeKeyProps) {
  const isOwn = useBrowserSession()?.id === revoked.id;
  const revocation = useMutation({
    mutationFn: () => deleteKey(revoked.id),
    onSuccess: () => {
      onClose();
      onRevoked();
      notify(`Revoked the key ${revoked.name}`);
    },
    onError: (error) => {
      onClose();
      notifyError('The key could not be revoked', error);
    },
  });
  return (
    <ConfirmDialog
      title="Revoke key?"
      action="Revoke"
      isBusy={revocation.isPending}
      onConfirm={() => revocation.mutate()}
      onClose={onClose}
    >
      <p>
        Within a second nothing takes the key <bdi>{revoked.name}</bdi> any more, event streams opened with it end, and
        browsers that signed in with it are signed out. A revoked key cannot be had back.
      </p>
      {isOwn && <p>This browser is signed in with it.</p>}
    </ConfirmDialog>
  );
}
