import type { ImportJsonResult } from '@spandrel/contract';
import { formatCount } from '@spandrel/contract/browser';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { importEverything } from '../../api/transfer.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { TextField } from '../../components/field.js';
import { formatBytes } from '../../components/format/format-bytes.js';
import styles from './settings-page.module.css';

/** Takes the file of `Download everything` back, of this instance or of another. */
export function ImportExportDialog({ onClose }: { onClose(): void }) {
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
      title="Import an export"
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
          What the file has takes the place of what has the same id here; nothing is deleted. Sent twice it changes
          nothing.
        </p>
        <TextField
          label="File"
          type="file"
          accept=".json"
          disabled={isBusy}
          hint={file === null ? 'A file of Download everything.' : `${file.name}, ${formatBytes(file.size)}`}
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
          ? 'There was nothing in the file.'
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
