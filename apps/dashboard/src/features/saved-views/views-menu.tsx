import type { ViewPage, ViewResource } from '@spandrel/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.js';
import { Button, useMayWrite } from '../../components/button.js';
import { ButtonMenu, ButtonMenuItem } from '../../components/button-menu.js';
import { Dialog } from '../../components/dialog.js';
import { SelectField, TextField } from '../../components/field.js';
import { notify, notifyError } from '../../components/notify.js';
import { PageActions } from '../../components/page-actions.js';
import { useBrowserSession } from '../browser-session.js';
import { FormDialog } from '../dialogs.js';
import { addressOfView, SAVED_VIEWS } from './saved-views.js';
import styles from './views-menu.module.css';

const SCOPES = [
  { value: 'project', label: 'Everyone in the project' },
  { value: 'me', label: 'Only me' },
];

/** The saved views of a page: the address is what is saved, and what opening one leads to. */
export function ViewsMenu({ page }: { page: ViewPage }) {
  const views = useQuery(SAVED_VIEWS).data?.filter((view) => view.page === page) ?? [];
  const [opened, setOpened] = useState<'manage' | 'save' | ViewResource | null>(null);
  const navigate = useNavigate();
  const mayWrite = useMayWrite();
  const query = useLocation().searchStr.replace(/^\?/, '');
  const close = (): void => setOpened(null);
  return (
    <>
      {views.length > 0 && (
        <ButtonMenu label="Views">
          {views.map((view) => (
            <ButtonMenuItem key={view.id} onClick={() => void navigate({ to: addressOfView(view) })}>
              {view.name}
            </ButtonMenuItem>
          ))}
          {mayWrite && <ButtonMenuItem onClick={() => setOpened('manage')}>Manage views</ButtonMenuItem>}
        </ButtonMenu>
      )}
      <PageActions
        group="Views"
        actions={[{ label: 'Save view', icon: 'plus', writes: true, run: () => setOpened('save') }]}
      />
      {opened === 'manage' && <ManageViews {...{ views, query }} onRename={setOpened} onClose={close} />}
      {opened !== null && opened !== 'manage' && (
        <ViewDialog {...{ page, query }} view={opened === 'save' ? null : opened} onClose={close} />
      )}
    </>
  );
}

/** Saves a view, or gives one another name. */
function ViewDialog(props: { page: ViewPage; query: string; view: ViewResource | null; onClose(): void }) {
  const { page, query, view, onClose } = props;
  const queryClient = useQueryClient();
  const isCloud = useBrowserSession()?.mode === 'cloud';
  const send = (form: FormData): Promise<ViewResource> => {
    const name = String(form.get('name')).trim();
    const scope = form.get('scope') === 'me' ? 'me' : 'project';
    if (view) return api.updateView({ path: { id: view.id }, body: { name, scope } });
    return api.createView({ body: { name, scope, page, query } });
  };
  return (
    <FormDialog
      title={view ? 'Rename view' : 'Save view'}
      action="Save"
      size="small"
      failed="The view could not be saved"
      send={send}
      onSent={({ name }) => {
        void queryClient.invalidateQueries(SAVED_VIEWS);
        notify(`Saved the view “${name}”`);
        onClose();
      }}
      onClose={onClose}
    >
      <TextField label="Name" name="name" defaultValue={view?.name} required pattern=".*\S.*" maxLength={200} />
      {isCloud && <SelectField label="Visible to" name="scope" options={SCOPES} defaultValue={view?.scope} />}
    </FormDialog>
  );
}

interface ManageViewsProps {
  views: readonly ViewResource[];
  /** The query string that is shown. */
  query: string;
  onRename(view: ViewResource): void;
  onClose(): void;
}

function ManageViews({ views, query, onRename, onClose }: ManageViewsProps) {
  const queryClient = useQueryClient();
  /** Does something, and offers its opposite. */
  const act = async (said: string, change: () => Promise<unknown>, undo?: () => Promise<unknown>): Promise<void> => {
    try {
      await change();
      notify(said, undo && <Button onClick={() => void act('Undone', undo)}>Undo</Button>);
    } catch (error) {
      notifyError('The view could not be changed', error as Error);
    }
    void queryClient.invalidateQueries(SAVED_VIEWS);
  };
  const replace = ({ id }: ViewResource, next: string) => api.updateView({ path: { id }, body: { query: next } });
  const bringBack = ({ name, page, scope, query: saved }: ViewResource) =>
    api.createView({ body: { name, page, scope, query: saved } });
  return (
    <Dialog title="Manage views" onClose={onClose} actions={<Button onClick={onClose}>Close</Button>}>
      <ul aria-label="Saved views" className={styles.views}>
        {views.map((view) => (
          <li key={view.id} aria-label={view.name}>
            <bdi>{view.name}</bdi>
            <Button onClick={() => onRename(view)}>Rename</Button>
            <Button
              disabled={view.query === query}
              onClick={() =>
                void act(
                  'Replaced the view',
                  () => replace(view, query),
                  () => replace(view, view.query),
                )
              }
            >
              Replace with this page
            </Button>
            <Button
              variant="danger"
              onClick={() =>
                void act(
                  'Deleted the view',
                  () => api.deleteView({ path: { id: view.id } }),
                  () => bringBack(view),
                )
              }
            >
              Delete
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
