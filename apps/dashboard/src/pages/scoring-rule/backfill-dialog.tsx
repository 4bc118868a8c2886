import type { BackfillAnswer, ScoringRuleResource } from '@spandrel/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.js';
import { SelectField, TextField } from '../../components/field.js';
import { notify } from '../../components/notify.js';
import { FormDialog } from '../../features/dialogs.js';
import { describeDryRun } from '../../features/scoring-rules/rule-words.js';
import { rereadRules } from '../../features/scoring-rules/scoring-rules.js';
import styles from '../../features/scoring-rules/scoring-rules.module.css';
import { AMOUNT } from '../../features/span-filters/filter-fields.js';

const DAY_MS = 86_400_000;
const RANGES = [
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '', label: 'All time' },
];

/** Has a rule judge what ended before it: it is counted first, with what that may cost, and then begun. */
export function BackfillDialog({ rule, onClose }: { rule: ScoringRuleResource; onClose(): void }) {
  const client = useQueryClient();
  const [fields, setFields] = useState({ days: '7', max: '1000', cost: '' });
  const [counted, setCounted] = useState<BackfillAnswer | null>(null);
  const isCounted = counted !== null && counted.sampled > 0;
  const bind = (id: keyof typeof fields) => ({
    value: fields[id],
    onChange: ({ target }: { target: { value: string } }) => {
      setFields({ ...fields, [id]: target.value });
      setCounted(null);
    },
  });
  const send = (): Promise<BackfillAnswer> => {
    const { days, max, cost } = fields;
    const body = {
      since: days === '' ? null : new Date(Date.now() - Number(days) * DAY_MS).toISOString(),
      max: max === '' ? null : Number(max),
      max_cost_usd: cost === '' ? null : Number(cost),
      dry_run: !isCounted,
    };
    return api.backfillScoringRule({ path: { id: rule.id }, body });
  };
  const onSent = (answer: BackfillAnswer): void => {
    if (answer.status === 'dry_run') {
      setCounted(answer);
      return;
    }
    notify(`The backfill of ${rule.name} has begun`);
    void rereadRules(client);
    onClose();
  };
  return (
    <FormDialog
      title={`Backfill ${rule.name}`}
      action={isCounted ? 'Start backfill' : 'Count'}
      failed="The backfill could not be begun"
      paths={['max', 'max_cost_usd']}
      {...{ send, onSent, onClose }}
      below={
        <p role="status" className={styles.result}>
          {counted && describeDryRun(counted)}
        </p>
      }
    >
      {(faults) => (
        <>
          <p>Judges what ended earlier, the newest first; nothing twice. The budget of the day holds, too.</p>
          <SelectField label="Spans of" options={RANGES} {...bind('days')} />
          <TextField label="At most" {...AMOUNT} min={1} step={1} fault={faults.at('max')} {...bind('max')} />
          <TextField
            label="Cost at most (USD)"
            {...AMOUNT}
            placeholder="No limit"
            fault={faults.at('max_cost_usd')}
            {...bind('cost')}
          />
        </>
      )}
    </FormDialog>
  );
}
