import type { DatasetResource } from '@spandrel/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import type { DatasetText } from '../api/dataset.js';
import { keys } from '../api/keys.js';
import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { FaultNotice } from '../components/page-parts.js';
import { TextField } from '../components/field.js';
import styles from './dataset-dialog.module.css';

interface DatasetDialogProps {
  /** `New dataset` */
  title: string;
  /** The word on the button: `Create`. */
  action: string;
  /** What the fields say at first. */
  initial: DatasetText;
  save(text: DatasetText): Promise<DatasetResource>;
  onSaved(dataset: DatasetResource): void;
  onClose(): void;
}

/** Name and description of a dataset. */
export function DatasetDialog({ title, action, initial, save, onSaved, onClose }: DatasetDialogProps) {
  const formId = useId();
  const queryClient = useQueryClient();
  const [name, setName] = useState(initial.name);
  const [description, setDescription] = useState(initial.description ?? '');
  const saving = useMutation({
    mutationFn: () => save({ name: name.trim(), description: description.trim() === '' ? null : description.trim() }),
    onSuccess: (dataset) => {
      void queryClient.invalidateQueries({ queryKey: keys.datasets() });
      onClose();
      onSaved(dataset);
    },
  });
  const canSave = name.trim() !== '' && !saving.isPending;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (canSave) saving.mutate();
  };
  return (
    <Dialog
      title={title}
      size="small"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={formId} disabled={!canSave}>
            {action}
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={submit}>
        <TextField label="Name" value={name} required onChange={({ target }) => setName(target.value)} />
        <TextField
          label="Description"
          value={description}
          hint="What it is for; reviewers read it as their instructions."
          onChange={({ target }) => setDescription(target.value)}
        />
        {saving.error && <FaultNotice title="The dataset could not be saved" error={saving.error} />}
      </form>
    </Dialog>
  );
}
