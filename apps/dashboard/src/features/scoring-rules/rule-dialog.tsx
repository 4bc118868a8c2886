import type { ScoringRuleResource } from '@spandrel/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { api } from '../../api/api.js';
import type { FieldFaults } from '../../api/form-faults.js';
import { CheckboxField, SelectField, TextArea, TextField } from '../../components/field.js';
import { FormDialog } from '../dialogs.js';
import { useModelChoices } from '../model-choices.js';
import { describeSettings, JUDGE, wordsOfScoring } from '../scorer-words.js';
import { AMOUNT, FilterFields } from '../span-filters/filter-fields.js';
import fieldStyles from '../span-filters/filter-fields.module.css';
import { fieldsOf, OWN_RUBRIC, readRule, rubricsOf, type RuleFields } from './rule-fields.js';
import { TARGET_WORDS } from './rule-words.js';
import { rereadRules } from './scoring-rules.js';
import styles from './scoring-rules.module.css';

interface RuleDialogProps {
  /** `null` for a new one. */
  rule: ScoringRuleResource | null;
  onSaved(rule: ScoringRuleResource): void;
  onClose(): void;
}

const TARGETS = Object.entries(TARGET_WORDS).map(([value, label]) => ({ value, label }));
const TRIGGERS = [
  { value: 'ended', label: 'When it has ended' },
  { value: 'score', label: 'When it is given a score' },
];
const SOURCES = [
  ...[
    { value: '', label: 'Anybody' },
    { value: 'end_user', label: 'An end user' },
    { value: 'human', label: 'A person' },
  ],
  { value: 'code', label: 'Code' },
];

/** Paths at which the API says what is wrong with a field. */
const WIRE: Readonly<Partial<Record<keyof RuleFields, string>>> = {
  ...{ name: 'name', target: 'target', trigger: 'trigger', quiet: 'quiet_ms', sample: 'sample_rate', cohort: 'cohort' },
  ...{ onName: 'on_score', excluded: 'filters', scoring: 'scoring', settings: 'scoring_config' },
  ...{
    connection: 'judge.connection_id',
    judgeModel: 'judge.model',
    rubric: 'scoring_config',
    scoreName: 'score_name',
  },
  budget: 'max_cost_usd_per_day',
};
const PATHS = Object.values(WIRE);

/** What a rule judges, by which judge, and what that may cost. Opened when what there is to choose from is known. */
export function ScoringRuleDialog(props: RuleDialogProps) {
  const { isReady, scorers, connections } = useModelChoices('');
  if (!isReady) return null;
  const fields = fieldsOf(props.rule, rubricsOf(scorers.find(isJudge)?.config_schema));
  // There is nothing to choose.
  if (props.rule === null && connections.length === 1) fields.connection = connections[0]!.id;
  return <RuleForm {...props} initial={fields} />;
}

const isJudge = ({ name }: { name: string }): boolean => name === JUDGE;

function RuleForm({ rule, initial, onSaved, onClose }: RuleDialogProps & { initial: RuleFields }) {
  const client = useQueryClient();
  const [form, setForm] = useState(initial);
  const [isEnabled, setIsEnabled] = useState(true);
  const { scorers, ...models } = useModelChoices(form.connection);
  const asksModel = scorers.some(({ name, asks_judge: asks }) => name === form.scoring && asks);
  const fieldOf = (id: keyof RuleFields) => ({
    value: form[id],
    onChange: ({ target }: { target: { value: string } }) => setForm({ ...form, [id]: target.value }),
  });
  const send = (): Promise<ScoringRuleResource> => {
    const body = readRule(form, rule, asksModel);
    if (rule !== null) return api.updateScoringRule({ path: { id: rule.id }, body });
    return api.createScoringRule({ body: { ...body, enabled: isEnabled } });
  };
  return (
    <FormDialog
      title={rule === null ? 'New scoring rule' : 'Edit scoring rule'}
      size="large"
      action={rule === null ? 'Create rule' : 'Save rule'}
      failed="The rule could not be saved"
      paths={PATHS}
      send={send}
      onSent={(saved) => {
        void rereadRules(client);
        onSaved(saved);
      }}
      onClose={onClose}
      className={styles.form}
    >
      {(faults) => {
        const bind = (id: keyof RuleFields) => ({ ...fieldOf(id), fault: faults.at(WIRE[id] ?? id) });
        return (
          <>
            <TextField label="Name" required {...bind('name')} />
            <fieldset className={fieldStyles.form}>
              <legend>What is judged</legend>
              <SelectField label="Judge" options={TARGETS} {...bind('target')} />
              <SelectField label="When" options={TRIGGERS} {...bind('trigger')} />
              {form.target !== 'span' && (
                <TextField
                  {...{ label: 'Quiet for (seconds)', ...AMOUNT, placeholder: form.target === 'trace' ? '30' : '1800' }}
                  {...bind('quiet')}
                />
              )}
              {form.trigger === 'score' && (
                <>
                  <TextField label="Score" required {...bind('onName')} />
                  <TextField label="Value or label" placeholder="Any" {...bind('onAnswer')} />
                  <SelectField label="Given by" options={SOURCES} {...bind('onSource')} />
                </>
              )}
              <TextField label="Sample rate (%)" {...AMOUNT} max={100} required {...bind('sample')} />
              <TextField
                label="Cohort"
                placeholder="The project"
                hint="Rules of one cohort look at the same traces."
                {...bind('cohort')}
              />
            </fieldset>
            <details open={rule !== null && Object.keys(rule.filters).length > 1}>
              <summary>Filters</summary>
              <div className={fieldStyles.form}>
                <FilterFields fieldOf={fieldOf} />
                <TextField label="Tags left out" hint="With commas between them." {...bind('excluded')} />
              </div>
            </details>
            <fieldset className={fieldStyles.form}>
              <legend>Who judges</legend>
              <SelectField
                label="Scoring"
                options={scorers
                  .filter((one) => !one.needs_expected)
                  .map(({ name }) => ({ value: name, label: wordsOfScoring(name) }))}
                {...bind('scoring')}
              />
              <ScorerSettings {...{ form, bind, scorers, asksModel, ...models }} />
            </fieldset>
            <fieldset className={fieldStyles.form}>
              <legend>Scores and cost</legend>
              <TextField label="Score name" placeholder={form.name} {...bind('scoreName')} />
              <TextField label="Budget per day (USD)" {...AMOUNT} placeholder="No budget" {...bind('budget')} />
            </fieldset>
            {rule === null && (
              <CheckboxField
                label="Score live traffic from now on"
                checked={isEnabled}
                onChange={({ currentTarget }) => setIsEnabled(currentTarget.checked)}
              />
            )}
          </>
        );
      }}
    </FormDialog>
  );
}

interface ScorerSettingsProps extends Omit<ReturnType<typeof useModelChoices>, 'error' | 'isReady'> {
  form: RuleFields;
  asksModel: boolean;
  bind(id: keyof RuleFields): {
    value: string;
    onChange(event: { target: { value: string } }): void;
    fault: ReturnType<FieldFaults['at']>;
  };
}

/** What a scorer has to know: the model that it asks, with its rubric, or settings as JSON. */
function ScorerSettings({ form, bind, scorers, asksModel, connections, models, modelFault }: ScorerSettingsProps) {
  const listId = useId();
  const schema = scorers.find(({ name }) => name === form.scoring)?.config_schema;
  const usual = connections.find(({ id }) => id === form.connection)?.default_model;
  return (
    <>
      {asksModel && (
        <>
          <SelectField
            label="Connection"
            required
            options={[
              { value: '', label: 'Choose one' },
              ...connections.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            {...bind('connection')}
          />
          <TextField
            label="Judge model"
            list={listId}
            placeholder={usual ?? ''}
            {...(modelFault !== null && { hint: `The models could not be listed: ${modelFault}` })}
            {...bind('judgeModel')}
          />
          <datalist id={listId} hidden>
            {models.map((model) => (
              <option key={model} value={model} />
            ))}
          </datalist>
        </>
      )}
      {form.scoring === JUDGE && (
        <SelectField
          label="Rubric"
          options={[
            { value: '', label: 'Built in: how well it answers' },
            ...rubricsOf(schema).map((name) => ({ value: name, label: wordsOfRubric(name) })),
            { value: OWN_RUBRIC, label: 'In your own words' },
          ]}
          {...bind('rubric')}
        />
      )}
      {form.scoring === JUDGE && form.rubric === OWN_RUBRIC && (
        <TextArea
          {...{ label: 'Your rubric', rows: 5, className: fieldStyles.name, required: true, dir: 'auto' }}
          hint="What a good answer is. The judge gives from 0 (worst) to 1 (best)."
          {...bind('ownRubric')}
        />
      )}
      {schema && form.scoring !== JUDGE && (
        <TextArea
          {...{ label: 'Scoring settings (JSON)', rows: 4, className: fieldStyles.name }}
          hint={`Members: ${describeSettings(schema)}.`}
          {...bind('settings')}
        />
      )}
    </>
  );
}

/** `Answer relevance` for `answer_relevance`. */
const wordsOfRubric = (name: string): string => `${name[0]!.toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;
