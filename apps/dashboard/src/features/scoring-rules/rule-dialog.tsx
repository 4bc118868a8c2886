import type { ScoringRuleResource } from '@spandrel/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { capitalized } from '../../components/format.js';
import { api } from '../../api/api.js';
import { CheckboxField, SelectField, TextArea, TextField } from '../../components/field.js';
import { FormDialog } from '../dialogs.js';
import { useModelChoices } from '../model-choices.js';
import { describeSettings, JUDGE, wordsOfScoring } from '../scorer-words.js';
import { AMOUNT, FilterFields } from '../span-filters/filter-fields.js';
import { filterFormOf, readFilters } from '../span-filters/filter-form.js';
import fieldStyles from '../span-filters/filter-fields.module.css';
import { OWN_RUBRIC, readRule, rubricOf, rubricsOf, textOf } from './rule-fields.js';
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
  { value: '', label: 'Anybody' },
  { value: 'end_user', label: 'An end user' },
  { value: 'human', label: 'A person' },
  { value: 'code', label: 'Code' },
];
const PATHS = [
  ...['name', 'target', 'quiet_ms', 'filters.exclude_tag', 'sample_rate', 'cohort', 'trigger', 'on_score'],
  ...['scoring', 'scoring_config', 'judge', 'score_name', 'max_cost_usd_per_day'],
];

/** What a rule judges, by which judge, and what that may cost. Opened when what there is to choose from is known. */
export function ScoringRuleDialog(props: RuleDialogProps) {
  return useModelChoices('').isReady ? <RuleForm {...props} /> : null;
}

function RuleForm({ rule, onSaved, onClose }: RuleDialogProps) {
  const client = useQueryClient();
  const all = useModelChoices('');
  const rubrics = rubricsOf(all.scorers.find(({ name }) => name === JUDGE)?.config_schema);
  const rubric = rubricOf(rule);
  const [filters, setFilters] = useState(() => filterFormOf(rule?.filters ?? {}));
  /** What other fields depend on. */
  const [chosen, setChosen] = useState({
    ...{ target: rule?.target ?? 'span', trigger: rule?.trigger ?? 'ended', scoring: rule?.scoring ?? JUDGE },
    // Where there is nothing to choose it is chosen.
    connection: rule?.judge?.connection_id ?? (all.connections.length === 1 ? all.connections[0]!.id : ''),
    rubric: rubric === '' || rubrics.includes(rubric) ? rubric : OWN_RUBRIC,
  });
  const { connections, models, modelFault, scorers } = useModelChoices(chosen.connection);
  const scorer = scorers.find(({ name }) => name === chosen.scoring);
  const send = (form: FormData): Promise<ScoringRuleResource> => {
    const body = readRule(form, readFilters(filters), rule);
    if (rule !== null) return api.updateScoringRule({ path: { id: rule.id }, body });
    return api.createScoringRule({ body: { ...body, enabled: form.has('enabled') } });
  };
  const choose = (id: keyof typeof chosen) => ({
    value: chosen[id],
    onChange: ({ target: { value } }: { target: { value: string } }) => setChosen({ ...chosen, [id]: value }),
  });
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
        const at = (name: string) => ({ name, fault: faults.at(name), defaultValue: textOf(rule, name) });
        const pick = (name: string, id: keyof typeof chosen) => ({ name, fault: faults.at(name), ...choose(id) });
        return (
          <>
            <TextField label="Name" required {...at('name')} />
            <fieldset className={fieldStyles.form}>
              <legend>What is judged</legend>
              <SelectField label="Judge" options={TARGETS} {...pick('target', 'target')} />
              <SelectField label="When" options={TRIGGERS} {...pick('trigger', 'trigger')} />
              {chosen.target !== 'span' && (
                <TextField
                  key={chosen.target}
                  {...{ label: 'Quiet for (ms)', placeholder: chosen.target === 'trace' ? '30000' : '1800000' }}
                  {...AMOUNT}
                  {...at('quiet_ms')}
                  {...(rule?.target !== chosen.target && { defaultValue: '' })}
                />
              )}
              {chosen.trigger === 'score' && (
                <>
                  <TextField label="Score" required {...at('on_score.name')} />
                  <TextField label="Value" type="number" step="any" placeholder="Any" {...at('on_score.value')} />
                  <TextField label="Label" placeholder="Any" {...at('on_score.label')} />
                  <SelectField label="Given by" options={SOURCES} {...at('on_score.source')} />
                </>
              )}
              <TextField label="Sample rate (%)" {...AMOUNT} max={100} required {...at('sample_rate')} />
              <TextField
                {...{ label: 'Cohort', placeholder: 'The project' }}
                hint="Rules of one cohort look at the same traces."
                {...at('cohort')}
              />
            </fieldset>
            <details open={rule !== null && Object.keys(rule.filters).length > 1}>
              <summary>Filters</summary>
              <div className={fieldStyles.form}>
                <FilterFields
                  fieldOf={(id) => ({
                    value: filters[id],
                    onChange: ({ target: { value } }) => setFilters({ ...filters, [id]: value }),
                  })}
                />
                <TextField label="Tags left out" hint="With commas between them." {...at('filters.exclude_tag')} />
              </div>
            </details>
            <fieldset className={fieldStyles.form}>
              <legend>Who judges</legend>
              <SelectField
                label="Scoring"
                options={scorers
                  .filter((one) => !one.needs_expected && !one.needs_baseline)
                  .map(({ name }) => ({ value: name, label: wordsOfScoring(name) }))}
                {...pick('scoring', 'scoring')}
              />
              {scorer?.asks_judge && (
                <>
                  <SelectField
                    label="Connection"
                    required
                    options={[{ id: '', name: 'Choose one' }, ...connections].map(({ id, name }) => ({
                      ...{ value: id, label: name },
                    }))}
                    {...pick('judge.connection_id', 'connection')}
                  />
                  <TextField
                    label="Judge model"
                    suggestions={models}
                    placeholder={connections.find(({ id }) => id === chosen.connection)?.default_model ?? ''}
                    {...(modelFault !== null && { hint: `The models could not be listed: ${modelFault}` })}
                    {...at('judge.model')}
                  />
                </>
              )}
              {chosen.scoring === JUDGE && (
                <SelectField
                  label="Rubric"
                  options={[
                    { value: '', label: 'Built in: how well it answers' },
                    ...rubrics.map((name) => ({ value: name, label: wordsOfRubric(name) })),
                    { value: OWN_RUBRIC, label: 'In your own words' },
                  ]}
                  {...pick('rubric', 'rubric')}
                />
              )}
              {chosen.scoring === JUDGE && chosen.rubric === OWN_RUBRIC && (
                <TextArea
                  {...{ label: 'Your rubric', rows: 5, className: fieldStyles.name, required: true, dir: 'auto' }}
                  hint="What a good answer is. The judge gives from 0 (worst) to 1 (best)."
                  {...at('scoring_config.rubric')}
                  defaultValue={rubrics.includes(rubric) ? '' : rubric}
                />
              )}
              {scorer?.config_schema && chosen.scoring !== JUDGE && (
                <TextArea
                  {...{ label: 'Scoring settings (JSON)', rows: 4, className: fieldStyles.name }}
                  hint={`Members: ${describeSettings(scorer.config_schema)}.`}
                  {...at('scoring_config')}
                  {...(rule?.scoring !== chosen.scoring && { defaultValue: '' })}
                />
              )}
            </fieldset>
            <fieldset className={fieldStyles.form}>
              <legend>Scores and cost</legend>
              <TextField label="Score name" placeholder="The name of the rule" {...at('score_name')} />
              <TextField
                {...{ label: 'Budget per day (USD)', ...AMOUNT, placeholder: 'No budget' }}
                {...at('max_cost_usd_per_day')}
              />
            </fieldset>
            {rule === null && <CheckboxField label="Score live traffic from now on" name="enabled" defaultChecked />}
          </>
        );
      }}
    </FormDialog>
  );
}

/** `Answer relevance` for `answer_relevance`. */
const wordsOfRubric = (name: string): string => capitalized(name.replaceAll('_', ' '));
