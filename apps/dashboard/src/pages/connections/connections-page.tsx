import type { ConnectionResource } from '@spandrel/contract';
import { NONE } from '@spandrel/contract/browser';
import { Link } from '@tanstack/react-router';
import { useMemo, useState, useCallback } from 'react';
import { gridRows, useAdministeredList } from '../../features/list/use-paged-list.js';
import { QueryFault, EmptyState, PageHeading } from '../../components/page-parts.js';
import { ConfirmAction, NEW_ROW, type OpenedDialog } from '../../features/dialogs.js';
import { api } from '../../api/api.js';
import { Button, RowButton, RowButtons } from '../../components/button.js';
import { zoneName } from '../../components/format.js';
import { Grid } from '../../components/grid/grid.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useLatest } from '../../components/hooks.js';
import { useListPlace } from '../../features/list/list-memory.js';
import { useCapabilities } from '../../features/browser-session.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import { textColumn } from '../../features/columns/usual-columns.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { Time } from '../../components/time.js';
import { ConnectionDialog, ConnectionTest, type ShownTest } from './connection-dialog.js';
import { useMutation } from '@tanstack/react-query';
import { notifyError } from '../../components/notify.js';

type Opened = OpenedDialog<ConnectionResource>;

/** The connections to providers of models: made, changed, tested and deleted. */
export function ConnectionsPage() {
  const { list, reread } = useAdministeredList<ConnectionResource>('connections', 'listConnections');
  const { test, begin, forget } = useConnectionTest();
  const capabilities = useCapabilities();
  const [opened, setOpened] = useState<Opened>(null);
  const onTest = useLatest((connection: ConnectionResource) => begin(connection));
  const { times } = usePreferences();
  const columns = useMemo(() => connectionColumns(zoneName(Date.now(), times), onTest, setOpened), [times, onTest]);
  const place = useListPlace();
  const isEmpty = !list.isWaiting && list.error === null && list.firstPage !== undefined && list.length === 0;
  const close = (): void => setOpened(null);
  const create = (
    <Button
      writes
      variant="primary"
      icon="plus"
      disabled={capabilities === undefined}
      onClick={() => setOpened(NEW_ROW)}
    >
      New connection
    </Button>
  );
  const onSaved = (saved: ConnectionResource, isTested: boolean): void => {
    close();
    void reread();
    if (isTested) begin(saved);
    else forget(saved.id);
  };
  return (
    <>
      <PageHeading title="Connections">
        {!isEmpty && create}
        {!isEmpty && list.length > 0 && capabilities?.features.includes('replay') && (
          <Link to="/try">Try a prompt</Link>
        )}
      </PageHeading>
      <QueryFault title="Connections could not be loaded" query={list} />
      <ConnectionTest test={test} />
      {isEmpty ? (
        <EmptyState title="No connections yet" action={create}>
          <p>A connection is how evaluations call a model: a provider, its key, and where it answers.</p>
          <p>Keys are stored encrypted, and are never shown again.</p>
        </EmptyState>
      ) : (
        <Grid<ConnectionResource>
          label="Connections"
          columns={columns}
          {...gridRows(list)}
          onOpen={(row) => setOpened({ word: 'Edit', row })}
          {...place}
        />
      )}
      {(opened?.word === 'New' || opened?.word === 'Edit') && capabilities !== undefined && (
        <ConnectionDialog
          connection={opened.row}
          providers={capabilities.providers}
          onSaved={onSaved}
          onClose={close}
        />
      )}
      {opened?.word === 'Delete' && (
        <ConfirmAction
          title="Delete connection?"
          action="Delete"
          act={() => api.deleteConnection({ path: { id: opened.row.id } })}
          onDone={() => {
            forget(opened.row.id);
            void reread();
          }}
          done={`Deleted the connection ${opened.row.name}`}
          failed="The connection could not be deleted"
          onClose={close}
        >
          <p>
            The connection <bdi>{opened.row.name}</bdi> and its stored key are deleted. Runs that used it keep their
            results.
          </p>
        </ConfirmAction>
      )}
    </>
  );
}

const KEY_WORDS: Readonly<Record<ConnectionResource['key_status'], string>> = {
  readable: 'Stored',
  unreadable: 'Cannot be read',
  missing: 'Missing',
};

type Column = GridColumn<ConnectionResource>;

function connectionColumns(
  zone: string,
  onTest: (connection: ConnectionResource) => void,
  open: (opened: Opened) => void,
): Column[] {
  return [
    textColumn('name', 'Name', 160, ({ name }) => name),
    textColumn('provider', 'Provider', 100, ({ provider }) => provider),
    {
      ...textColumn<ConnectionResource>('base_url', 'Base URL', 200, ({ base_url: url }) => url ?? 'Default'),
      grows: 560,
    },
    textColumn('default_model', 'Default model', 150, ({ default_model: model }) => model ?? NONE),
    { id: 'key', header: 'Key', width: 110, cell: ({ key_status: status }) => KEY_WORDS[status] },
    { id: 'updated_at', header: 'Updated', note: zone, width: 136, cell: ({ updated_at: at }) => <Time at={at} /> },
    cellColumn('actions', 'Actions', 176, (row) => (
      <RowButtons>
        <RowButton word="Test" name={row.name} onClick={() => onTest(row)} />
        {(['Edit', 'Delete'] as const).map((word) => (
          <RowButton key={word} word={word} name={row.name} onClick={() => open({ word, row })} />
        ))}
      </RowButtons>
    )),
  ];
}

function useConnectionTest() {
  const [test, setTest] = useState<ShownTest | null>(null);
  const { mutate } = useMutation({
    mutationFn: (connection: ConnectionResource) => api.testConnection({ path: { id: connection.id } }),
    onMutate: (connection) => setTest({ connection, result: null }),
    onSuccess: (result, connection) =>
      // Another connection may have been tested meanwhile.
      setTest((shown) => (shown?.connection.id === connection.id ? { connection, result } : shown)),
    onError: (error, connection) => {
      setTest((shown) => (shown?.connection.id === connection.id ? null : shown));
      notifyError('The connection could not be tested', error);
    },
  });
  const forget = useCallback((id: string) => setTest((shown) => (shown?.connection.id === id ? null : shown)), []);
  return { test, begin: mutate, forget };
}
