import { useHasFeature } from '../browser-session.js';
import type { ReplayDialogProps } from './replay-dialog.js';
import { DialogButton, lazyPart } from '../../components/lazy-part.js';

/** The dialog `Replay`, which is fetched once it is opened. */
export const ReplayDialog = lazyPart(async () => (await import('./replay-dialog.js')).ReplayDialog);

/** Whether calls can be replayed here. */
export const useReplays = (): boolean => useHasFeature('replay') !== false;

interface ReplayButtonProps extends Omit<ReplayDialogProps, 'onClose'> {
  /** The name for screen readers where there are several; the button is quiet then. */
  label?: string;
}

/** The button that makes recorded calls again with something else, after it has asked with what. */
export function ReplayButton({ label, ...props }: ReplayButtonProps) {
  if (!useReplays()) return null;
  return (
    <DialogButton
      writes
      {...(label === undefined ? { icon: 'play' } : { variant: 'quiet', 'aria-label': label })}
      dialog={(close) => <ReplayDialog {...props} onClose={close} />}
    >
      Replay
    </DialogButton>
  );
}
