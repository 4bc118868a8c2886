import { SelectField, TextArea, TextField } from '../../components/field.js';
import type { BindScorer } from './scorer-fields.js';
import styles from './run-form.module.css';

interface JudgeFieldsProps {
  connections: readonly { value: string; label: string }[];
  bind: BindScorer;
}

/** Which model judges, and by what; what is left empty is that of the run. */
export function JudgeFields({ connections, bind }: JudgeFieldsProps) {
  return (
    <fieldset className={styles.judge}>
      <legend>Judge</legend>
      <SelectField
        label="Judge connection"
        options={[{ value: '', label: 'That of the run' }, ...connections]}
        {...bind('judgeConnection')}
      />
      <TextField label="Judge model" placeholder="That of the run" {...bind('judgeModel')} />
      <TextArea label="Rubric" rows={4} hint="Leave it empty for the rubric that is built in." {...bind('rubric')} />
    </fieldset>
  );
}
