import { TextField } from '../../components/field.js';
import { FormDialog } from '../dialogs.js';

interface NameDialogProps<Answer> {
  title: string;
  action: string;
  initial?: string;
  save(name: string): Promise<Answer>;
  onSaved(answer: Answer): void;
  onClose(): void;
}

/** Asks for the name of a board or of one of its figures. */
export function NameDialog<Answer>({ title, action, initial, save, onSaved, onClose }: NameDialogProps<Answer>) {
  return (
    <FormDialog
      {...{ title, action, onClose }}
      size="small"
      failed="It could not be saved"
      send={(form) => save(String(form.get('name')).trim())}
      onSent={(answer) => {
        onClose();
        onSaved(answer);
      }}
    >
      <TextField label="Name" name="name" defaultValue={initial} required pattern=".*\S.*" maxLength={200} />
    </FormDialog>
  );
}
