import type { DatasetResource } from '@spandrel/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../api/keys.js';
import { TextField } from '../components/field.js';
import { FormDialog } from './dialogs.js';

interface DatasetText {
  name: string;
  description: string | null;
}

interface DatasetDialogProps {
  title: string;
  action: string;
  initial: DatasetText;
  save(text: DatasetText): Promise<DatasetResource>;
  onSaved(dataset: DatasetResource): void;
  onClose(): void;
}

/** Name and description of a dataset. */
export function DatasetDialog({ title, action, initial, save, onSaved, onClose }: DatasetDialogProps) {
  const queryClient = useQueryClient();
  const [name, setName] = useState(initial.name);
  const [description, setDescription] = useState(initial.description ?? '');
  return (
    <FormDialog
      {...{ title, action, onClose }}
      size="small"
      failed="The dataset could not be saved"
      canSend={name.trim() !== ''}
      send={() => save({ name: name.trim(), description: description.trim() || null })}
      onSent={(dataset) => {
        void queryClient.invalidateQueries({ queryKey: keys.datasets() });
        onClose();
        onSaved(dataset);
      }}
    >
      <TextField label="Name" value={name} required onChange={({ target }) => setName(target.value)} />
      <TextField
        label="Description"
        value={description}
        hint="What it is for. Reviewers see it as their instructions."
        onChange={({ target }) => setDescription(target.value)}
      />
    </FormDialog>
  );
}
