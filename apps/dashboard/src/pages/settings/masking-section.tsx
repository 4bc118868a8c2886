import type { MaskingResource } from '@spandrel/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { putMasking, readMasking } from '../../api/masking.js';
import { Button } from '../../components/button.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { notify } from '../../components/notifications/notify.js';
import { draftsOf, isChanged, newDraft, rulesOf, type DraftRule } from './masking-draft.js';
import { MaskingRuleFields } from './masking-rule.js';
import { MaskingTryOut } from './masking-try-out.js';
import { Section } from './section.js';
import styles from './settings-page.module.css';

/** What of texts is replaced before it is stored. @param mayChange whether the reader administers the project. */
export function MaskingSection({ projectId, mayChange }: { projectId: string; mayChange: boolean }) {
  const queryKey = ['masking', projectId];
  const client = useQueryClient();
  const { data, error, refetch } = useQuery({ queryKey, queryFn: ({ signal }) => readMasking(projectId, signal) });
  return (
    <Section title="Masking">
      {error && <FaultNotice title="The rules could not be read" error={error} onRetry={() => void refetch()} />}
      {data && (
        <MaskingRules
          key={data.updated_at ?? ''}
          masking={data}
          mayChange={mayChange}
          onSaved={(saved) => client.setQueryData(queryKey, saved)}
        />
      )}
    </Section>
  );
}

interface MaskingRulesProps {
  masking: MaskingResource;
  mayChange: boolean;
  onSaved(saved: MaskingResource): void;
}

function MaskingRules({ masking, mayChange, onSaved }: MaskingRulesProps) {
  const [drafts, setDrafts] = useState<readonly DraftRule[]>(() => draftsOf(masking.rules));
  const rules = rulesOf(drafts);
  const saving = useMutation({
    mutationFn: () => putMasking(masking.project_id, rules),
    onSuccess: (saved) => {
      onSaved(saved);
      notify('The rules hold for what is recorded from now on');
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!saving.isPending) saving.mutate();
  };
  const add = (): void => {
    const draft = newDraft(masking, rules);
    if (draft) setDrafts([...drafts, draft]);
  };
  return (
    <>
      <p className={styles.hint}>
        Values that rules find are replaced before anything is stored, in the gateway and in the API. What is stored
        already stays as it is.
      </p>
      <form className={styles.form} onSubmit={submit}>
        {drafts.length === 0 && <p>No rules: texts are stored as they come.</p>}
        {drafts.map((rule, index) => (
          <MaskingRuleFields
            key={rule.key}
            rule={rule}
            place={index + 1}
            masking={masking}
            mayChange={mayChange}
            onChange={(changed) => setDrafts(drafts.map((one) => (one.key === rule.key ? changed : one)))}
            onRemove={() => setDrafts(drafts.filter(({ key }) => key !== rule.key))}
          />
        ))}
        {mayChange ? (
          <div className={styles.buttons}>
            <Button icon="plus" onClick={add}>
              Add a rule
            </Button>
            <Button variant="primary" type="submit" disabled={saving.isPending || !isChanged(drafts, masking.rules)}>
              Save rules
            </Button>
          </div>
        ) : (
          <p className={styles.hint}>Whoever administers the organization changes the rules.</p>
        )}
        {saving.error && <FaultNotice title="The rules could not be saved" error={saving.error} />}
      </form>
      <MaskingTryOut projectId={masking.project_id} rules={mayChange ? rules : undefined} />
    </>
  );
}
