import { useBlocker } from '@tanstack/react-router';
import { ConfirmDialog } from '../../components/confirm-dialog.js';

/** Asks before somebody leaves a page with something unsaved. @returns the question, while it is asked. */
export function useUnsavedQuestion(isUnsaved: boolean) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isUnsaved && current.pathname !== next.pathname,
    enableBeforeUnload: () => isUnsaved,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <ConfirmDialog
      title="Leave without saving?"
      action="Leave without saving"
      onConfirm={blocker.proceed}
      onClose={blocker.reset}
    >
      <p>The changes of this datapoint are not saved and would be lost.</p>
    </ConfirmDialog>
  );
}
