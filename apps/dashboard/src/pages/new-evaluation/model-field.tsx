import { useId } from 'react';
import { TextField } from '../../components/field.js';

interface ModelFieldProps {
  label: string;
  /** Models that the connection reaches. */
  models: readonly string[];
  /** Why they are not known. */
  fault: string | null;
  required: boolean;
  value: string;
  onChange(event: { currentTarget: { value: string } }): void;
}

/** A combobox of the models of a connection; one that is not among them can be written, since servers list not all they have. */
export function ModelField({ models, fault, ...rest }: ModelFieldProps) {
  const id = useId();
  const hint = fault === null ? {} : { hint: `The models could not be listed: ${fault}` };
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
