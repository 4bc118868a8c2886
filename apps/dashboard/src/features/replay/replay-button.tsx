import { lazy, Suspense, useState } from 'react';
import { Button } from '../../components/button.js';
import { useHasFeature } from '../browser-session.js';
import type { ReplayDialogProps } from './replay-dialog.js';

const Dialog = lazy(async () => ({ default: (await import('./replay-dialog.js')).ReplayDialog }));

/** The dialog `Replay`, which is fetched once it is opened. */
export const ReplayDialog = (props: ReplayDialogProps) => (
  <Suspense fallback={null}>
    <Dialog {...props} />
  </Suspense>
);

/** Whether calls can be replayed here. */
export const useReplays = (): boolean => useHasFeature('replay') !== false;

interface ReplayButtonProps extends Omit<ReplayDialogProps, 'onClose'> {
  /** The name for screen readers where there are several; the button is quiet then. */
  label?: string;
}

/** The button that makes recorded calls again with something else, after it has asked with what. */
export function ReplayButton({ label, ...props }: ReplayButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  if (!useReplays()) return null;
  return (
    <>
      <Button
        writes
        {...(label === undefined ? { icon: 'play' } : { variant: 'quiet', 'aria-label': label })}
        onClick={() => setIsOpen(true)}
      >
        Replay
      </Button>
      {isOpen && <ReplayDialog {...props} onClose={() => setIsOpen(false)} />}
    </>
  );
}
