import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../components/button.js';
import { notify } from '../../components/notify.js';
import { useHasFeature } from '../browser-session.js';
import type { AlertDialogProps } from './alert-dialog.js';
import type { AlertDraft } from './alert-form.js';

const Dialog = lazy(async () => ({ default: (await import('./alert-dialog.js')).AlertDialog }));

/** The form of an alert, which is fetched when it is opened. */
export const AlertDialog = (props: AlertDialogProps) => (
  <Suspense>
    <Dialog {...props} />
  </Suspense>
);

/** The button of a figure that makes an alert of what it shows. */
export function CreateAlert({ draft }: { draft: AlertDraft }) {
  const [isOpen, setIsOpen] = useState(false);
  if (useHasFeature('alerts') !== true) return null;
  return (
    <>
      <Button writes variant="quiet" icon="bell" iconOnly onClick={() => setIsOpen(true)}>
        Create alert
      </Button>
      {isOpen && (
        <AlertDialog
          alert={draft}
          onSaved={({ name }) => notify(`Created the alert ${name}`, <Link to="/alerts">Open alerts</Link>)}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  );
}
