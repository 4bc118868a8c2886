import { useId } from 'react';
import { TextField } from '../../components/field.js';

interface ModelFieldProps {
  label: string;
  /** Models that the connection reaches. */
  models: readonly string[];
  /** Why they are not known. */
  unlisted: string | null;
  /** What is wrong with the model that is written. */
  fault: string | undefined;
  required: boolean;
  value: string;
  onChange(event: { currentTarget: { value: string } }): void;
}

/** A combobox of the models of a connection; one that is not among them can be written, since servers list not all they have. */
export function ModelField({ models, unlisted, ...rest }: ModelFieldProps) {
  const id = useId();
  const hint = unlisted === null ? {} : { hint: `The models could not be listed: ${unlisted}` };
  return (
    <>
      <TextField list={id} {...hint} {...rest} />
      <datalist id={id}>
        {models.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
    </>
  );
}
