import type { ShareResource } from '@spandrel/contract';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.js';
import { Button } from '../../components/button.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { Time } from '../../components/time.js';
import { traceAddress } from '../../features/addresses.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import { ConfirmAction } from '../../features/dialogs.js';
import { useAdministeredList } from '../../features/list/use-paged-list.js';
import { AdministeredGrid, Section } from './section.js';
import styles from './settings-page.module.css';

/** The links of the project that open a trace. */
export function SharesSection() {
  const { list, reread } = useAdministeredList<ShareResource>('shared traces', 'listShares');
  const [revoked, setRevoked] = useState<ShareResource | null>(null);
  const columns: GridColumn<ShareResource>[] = [
    cellColumn('trace', 'Trace', 240, ({ trace_id: id }) => <Link to={traceAddress(id)}>{id}</Link>),
    cellColumn('by', 'Shared by', 160, ({ created_by: by }) => <bdi title={by.id}>{by.name ?? by.id}</bdi>),
    cellColumn('created', 'Shared', 136, ({ created_at: at }) => <Time at={at} />),
    cellColumn('ends', 'Ends', 136, ({ expires_at: at }) => <Time at={at} />),
    cellColumn('opened', 'Last opened', 136, ({ opened_at: at }) => (at === null ? 'Not yet' : <Time at={at} />)),
    cellColumn('actions', 'Actions', 80, (share) => (
      <Button writes className={styles.rowButton} onClick={() => setRevoked(share)}>
        Revoke
      </Button>
    )),
  ];
  return (
    <Section title="Shared traces">
      <AdministeredGrid label="Shared traces" list={list} columns={columns} empty="No trace is shared." />
      {revoked && (
        <ConfirmAction
          title="Revoke link?"
          action="Revoke"
          act={() => api.deleteShare({ path: { id: revoked.id } })}
          onDone={() => void reread()}
          done="Revoked the link"
          failed="The link could not be revoked"
          onClose={() => setRevoked(null)}
        >
          <p>The link opens nothing any more. It cannot be restored.</p>
        </ConfirmAction>
      )}
    </Section>
  );
}
