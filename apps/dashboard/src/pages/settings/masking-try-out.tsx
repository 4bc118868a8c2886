import type { MaskingRule } from '@spandrel/contract';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { previewMasking } from '../../api/masking.js';
import { Button } from '../../components/button.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { TextArea } from '../../components/field.js';
import styles from './settings-page.module.css';

interface MaskingTryOutProps {
  projectId: string;
  /** Rules of the page, saved or not; those of the project when left out, which readers see alone. */
  rules: readonly MaskingRule[] | undefined;
}

/** Shows what rules make of a text. */
export function MaskingTryOut({ projectId, rules }: MaskingTryOutProps) {
  const preview = useMutation({ mutationFn: (text: string) => previewMasking(projectId, text, rules) });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    preview.mutate(String(new FormData(event.currentTarget).get('text')));
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextArea
        label="Try a text out"
        name="text"
        rows={3}
        required
        hint="As the input of a call; it is kept nowhere."
      />
      <div className={styles.buttons}>
        <Button type="submit" disabled={preview.isPending}>
          Try out
        </Button>
      </div>
      {preview.error && <FaultNotice title="The text could not be tried out" error={preview.error} />}
      {preview.data && (
        <div role="status">
          <p className={styles.secret}>{preview.data.text}</p>
          <p className={styles.hint}>
            {preview.data.found.length === 0
              ? 'Nothing was found.'
              : `Found: ${preview.data.found.map(({ label, count }) => `${label} ${count}`).join(', ')}.`}
          </p>
        </div>
      )}
    </form>
  );
}
