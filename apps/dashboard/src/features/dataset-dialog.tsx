import type { DatasetResource } from '@spandrel/contract';
import { useQueryClient } from '@tanstack/react-query';
import { keys } from '../api/keys.js';
import { TextField } from '../components/field.js';
import { FormDialog, textIn } from './dialogs.js';

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
  return (
    <FormDialog
      {...{ title, action, onClose }}
      size="small"
      failed="The dataset could not be saved"
      send={(form) => save({ name: textIn(form, 'name'), description: textIn(form, 'description') || null })}
      onSent={(dataset) => {
        void queryClient.invalidateQueries({ queryKey: keys.datasets() });
        onClose();
        onSaved(dataset);
      }}
    >
      <TextField label="Name" name="name" defaultValue={initial.name} required pattern=".*\S.*" />
      <TextField
        label="Description"
        name="description"
        defaultValue={initial.description ?? ''}
        hint="What it is for. Reviewers see it as their instructions."
      />
    </FormDialog>
  );
}
