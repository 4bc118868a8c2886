import type { ConnectionResource } from '@spandrel/contract';
import { useMemo, useState } from 'react';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { zoneName } from '../../components/format/format-time.js';
import { Grid } from '../../components/grid/grid.js';
import { PageHeading } from '../../components/page-heading.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useLatest } from '../../components/use-latest.js';
import { useListPlace } from '../../features/list-place.js';
import { useCapabilities } from '../../features/payload/use-capabilities.js';
import { connectionColumns } from './connection-columns.js';
import { ConnectionDialog } from './connection-dialog.js';
import { ConnectionTest } from './connection-test.js';
import { DeleteConnection } from './delete-connection.js';
import { useConnections, useConnectionTest } from './use-connections.js';

/** What is open above the list. */
type Opened =
  | { kind: 'edit'; connection: ConnectionResource | null }
  | { kind: 'delete'; connection: ConnectionResource };

/** The connections to providers of models: made, changed, tested and deleted. */
export function ConnectionsPage() {
  const { list, reread } = useConnections();
  const { test, begin, forget } = useConnectionTest();
  const capabilities = useCapabilities();
  const [opened, setOpened] = useState<Opened | null>(null);
  const onTest = useLatest((connection: ConnectionResource) => begin(connection));
  const { times } = usePreferences();
  const columns = useMemo(
    () =>
      connectionColumns(zoneName(Date.now(), times), {
        onTest,
        onEdit: (connection) => setOpened({ kind: 'edit', connection }),
        onDelete: (connection) => setOpened({ kind: 'delete', connection }),
      }),
    [times, onTest],
  );
  const place = useListPlace();
  const isEmpty = !list.isWaiting && list.error === null && list.firstPage !== undefined && list.length === 0;
  const close = (): void => setOpened(null);
  const create = (
    <Button
      writes
      variant="primary"
      icon="plus"
      disabled={capabilities === undefined}
      onClick={() => setOpened({ kind: 'edit', connection: null })}
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
      <PageHeading title="Connections">{!isEmpty && create}</PageHeading>
      {list.error !== null && (
        <FaultNotice title="Connections could not be loaded" error={list.error} onRetry={list.retry} />
      )}
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
          length={list.length}
          isComplete={list.isComplete}
          rowAt={list.rowAt}
          keyAt={list.keyAt}
          onVisible={list.onVisible}
          onOpen={(connection) => setOpened({ kind: 'edit', connection })}
          {...place}
        />
      )}
      {opened?.kind === 'edit' && capabilities !== undefined && (
        <ConnectionDialog
          connection={opened.connection}
          providers={capabilities.providers}
          onSaved={onSaved}
          onClose={close}
        />
      )}
      {opened?.kind === 'delete' && (
        <DeleteConnection
          connection={opened.connection}
          onDeleted={() => {
            forget(opened.connection.id);
            void reread();
          }}
          onClose={close}
        />
      )}
    </>
  );
}
