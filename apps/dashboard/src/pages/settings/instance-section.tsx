import type { CapabilitiesResource, ConnectionResource, ImportJsonResult } from '@spandrel/contract';
import { formatCounted, NONE, formatCount } from '@spandrel/contract/browser';
import { useState, useId, type FormEvent } from 'react';
import { useMutation, useQueryClient, useQuery } from '@tanstack/react-query';
import { BASE } from '../../api/project-base.js';
import { listPage, api } from '../../api/api.js';
import { importEverything } from '../../api/upload.js';
import { Button } from '../../components/button.js';
import { useCapabilities } from '../../features/browser-session.js';
import { Dialog } from '../../components/dialog.js';
import { FaultNotice } from '../../components/page-parts.js';
import { TextField } from '../../components/field.js';
import { formatBytes } from '../../components/format-bytes.js';
import { notify } from '../../components/notify.js';
import { Row, Section, TypedConfirmation } from './section.js';
import styles from './settings-page.module.css';

/** What this instance is, and what is done with all that it has, by what the reader may do in the project. */
export function InstanceSection({ mayRead, mayWrite }: { mayRead: boolean; mayWrite: boolean }) {
  const capabilities = useCapabilities();
  const [opened, setOpened] = useState<'import' | 'delete' | null>(null);
  const close = (): void => setOpened(null);
  return (
    <Section title="Instance">
      <Row name="Version">{capabilities?.version ?? NONE}</Row>
      <Row name="Mode">{capabilities ? describeMode(capabilities) : NONE}</Row>
      <Row name="Dashboard and API">{location.origin}</Row>
      <Row name="Gateway">{capabilities ? (capabilities.gateway_url ?? 'Not known to this server') : NONE}</Row>
      <Row name="Retention">{capabilities ? describeRetention(capabilities) : NONE}</Row>
      <div className={styles.buttons}>
        {mayRead && (
          <a href={`${BASE}/api/export/json`} download>
            Download everything
          </a>
        )}
        {/* In cloud mode they are the operator's, who has no session. */}
        {capabilities?.mode === 'local' && (
          <a href="/metrics" target="_blank" rel="noreferrer">
            Metrics
          </a>
        )}
        <a href="/docs" target="_blank" rel="noreferrer">
          API
        </a>
      </div>
      {mayWrite && (
        <div className={styles.buttons}>
          <Button onClick={() => setOpened('import')}>Import a backup file</Button>
          <Button variant="danger" icon="trash" onClick={() => setOpened('delete')}>
            Delete all traces
          </Button>
        </div>
      )}
      {opened === 'import' && <ImportExportDialog onClose={close} />}
      {opened === 'delete' && <DeleteAllTraces onClose={close} />}
    </Section>
  );
}

const describeMode = ({ mode }: CapabilitiesResource): string =>
  mode === 'local' ? 'Local: one machine, no logins' : 'Cloud: organizations, projects and keys';

const describeRetention = ({ retention_days: days }: CapabilitiesResource): string =>
  days === null ? 'Forever' : formatCounted(days, 'day');

function ImportExportDialog({ onClose }: { onClose(): void }) {
  const formId = useId();
  const client = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [sent, setSent] = useState(0);
  const importing = useMutation({
    mutationFn: (chosen: File) => importEverything(chosen, setSent),
    onMutate: () => setSent(0),
    onSuccess: () => client.invalidateQueries(),
  });
  const isBusy = importing.isPending;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (file !== null && !isBusy) importing.mutate(file);
  };
  return (
    <Dialog
      title="Import a backup file"
      onClose={() => !isBusy && onClose()}
      actions={
        <>
          <Button disabled={isBusy} onClick={onClose}>
            {importing.isSuccess ? 'Done' : 'Cancel'}
          </Button>
          <Button variant="primary" type="submit" form={formId} disabled={file === null || isBusy}>
            Import
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={submit}>
        <p>
          Objects in the file replace those with the same ID; nothing is deleted. Importing a file twice changes
          nothing.
        </p>
        <TextField
          label="File"
          type="file"
          accept=".json"
          disabled={isBusy}
          hint={file === null ? 'A JSON file from Download everything.' : `${file.name}, ${formatBytes(file.size)}`}
          onChange={({ target }) => {
            importing.reset();
            setFile(target.files?.[0] ?? null);
          }}
        />
        {/* Without a value it says that something goes on: the server takes what it has. */}
        {isBusy && <progress aria-label="Import progress" max={1} {...(sent < 1 && { value: sent })} />}
        {importing.data && <Result result={importing.data} />}
        {importing.error && <FaultNotice title="Nothing was imported" error={importing.error} />}
      </form>
    </Dialog>
  );
}

function Result({ result: { imported, rejected, rejected_count: count } }: { result: ImportJsonResult }) {
  const taken = Object.entries(imported).filter(([, items]) => items > 0);
  return (
    <>
      <p role="status">
        {taken.length === 0
          ? 'The file was empty.'
          : `Imported ${taken.map(([list, items]) => `${formatCount(items)} ${list.replaceAll('_', ' ')}`).join(', ')}`}
        {count > 0 && `; ${formatCount(count)} left out`}
      </p>
      {count > 0 && (
        <ul aria-label="Left out">
          {rejected.slice(0, 20).map(({ collection: list, index, message }) => (
            <li key={`${list} ${index}`}>
              {list} {formatCount(index)}: {message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const WORD = 'delete';

function DeleteAllTraces({ onClose }: { onClose(): void }) {
  const client = useQueryClient();
  const { data: counted } = useQuery({
    queryKey: ['traces', 'count of all'],
    queryFn: ({ signal }) => api.countTraces({ signal }),
    staleTime: 0,
  });
  return (
    <TypedConfirmation
      title="Delete all traces?"
      label={`Type ${WORD} to confirm`}
      isMeant={(typed) => typed.toLowerCase() === WORD}
      failed="The traces could not be deleted"
      act={() => api.deleteTraces()}
      onDone={({ traces_deleted: traces, spans_deleted: spans }) => {
        client.clear();
        notify(`Deleted ${formatCounted(traces, 'trace')} with ${formatCounted(spans, 'span')}`);
      }}
      onClose={onClose}
    >
      <p>
        {counted ? describe(counted) : 'All traces'} of this project are deleted with all their spans. This cannot be
        undone. Datasets, evaluations, the review queue and connections are kept.
      </p>
    </TypedConfirmation>
  );
}

const describe = ({ count, exact }: { count: number; exact: boolean }): string =>
  exact ? formatCounted(count, 'trace') : `More than ${formatCount(count)} traces`;

const causeOf = (names: readonly string[]): Error =>
  new Error(
    `${names.join(', ')}: encrypted with another secret key than this server has, so that evaluations cannot call ` +
      `${names.length === 1 ? 'it' : 'them'} here. The operator of the server can restore that key ` +
      '(SPANDREL_SECRET_KEY or SPANDREL_SECRET_KEY_PREVIOUS). A connection works again once its API key is entered again.',
  );

/** Says when keys of the project's connections cannot be read by the server that answers; nothing otherwise. */
export function UnreadableConnections() {
  const { data } = useQuery({
    queryKey: ['connections', 'keys'],
    queryFn: ({ signal }) => listPage<ConnectionResource>('listConnections', { signal }),
  });
  const unreadable = data?.rows.filter(({ key_status: status }) => status === 'unreadable') ?? [];
  if (unreadable.length === 0) return null;
  return (
    <FaultNotice
      title={`The ${unreadable.length === 1 ? 'key' : 'keys'} of ${formatCounted(unreadable.length, 'connection')} cannot be read`}
      error={causeOf(unreadable.map(({ name }) => name))}
    />
  );
}
