import { Link } from '@tanstack/react-router';
import { notify } from '../../components/notify.js';
import { useHasFeature } from '../browser-session.js';
import type { AlertDraft } from './alert-form.js';
import { DialogButton, lazyPart } from '../../components/lazy-part.js';

/** The form of an alert, which is fetched when it is opened. */
export const AlertDialog = lazyPart(async () => (await import('./alert-dialog.js')).AlertDialog);

/** The button of a figure that makes an alert of what it shows. */
export function CreateAlert({ draft }: { draft: AlertDraft }) {
  if (useHasFeature('alerts') !== true) return null;
  return (
    <DialogButton
      {...{ writes: true, variant: 'quiet', icon: 'bell', iconOnly: true }}
      dialog={(close) => (
        <AlertDialog
          alert={draft}
          onSaved={({ name }) => notify(`Created the alert ${name}`, <Link to="/alerts">Open alerts</Link>)}
          onClose={close}
        />
      )}
    >
      Create alert
    </DialogButton>
  );
}
