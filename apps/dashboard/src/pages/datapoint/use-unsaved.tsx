import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.js';

/** Somebody who waits for the answer. */
interface Question {
  /** @param stays whether the page is not left. */
  answer(stays: boolean): void;
}

/**
 * Asks before somebody leaves a page with something unsaved. The router's own hook for this would be in the first load.
 * @returns the question, while it is asked.
 */
export function useUnsavedQuestion(isUnsaved: boolean) {
  const { history } = useRouter();
  const [question, setQuestion] = useState<Question | null>(null);
  useEffect(() => {
    if (!isUnsaved) return undefined;
    return history.block({
      blockerFn: ({ currentLocation, nextLocation }) => {
        if (currentLocation.pathname === nextLocation.pathname) return false;
        return new Promise<boolean>((answer) => setQuestion({ answer }));
      },
      enableBeforeUnload: true,
    });
  }, [history, isUnsaved]);
  if (question === null) return null;
  const answer = (stays: boolean): void => {
    setQuestion(null);
    question.answer(stays);
  };
  return (
    <ConfirmDialog
      title="Leave without saving?"
      action="Leave without saving"
      onConfirm={() => answer(false)}
      onClose={() => answer(true)}
    >
      <p>The changes of this datapoint are not saved and would be lost.</p>
    </ConfirmDialog>
  );
}
