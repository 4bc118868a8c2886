import type { CapabilitiesResource } from '@spandrel/contract';
import { FieldFaults } from '../../api/form-faults.js';
import { Button } from '../../components/button.js';
import { SelectField, TextArea, TextField } from '../../components/field.js';
import { describeSettings, JUDGES, wordsOfScorer, wordsOfScoring } from '../scorer-words.js';
import { EMPTY_SCORER, nameOfScorer, type ScorerFields } from './scorer-fields.js';
import styles from './run-form.module.css';

interface ScorerFormProps {
  scorers: readonly ScorerFields[];
  offered: CapabilitiesResource['scorers'];
  connections: readonly { value: string; label: string }[];
  faults: FieldFaults;
  onChange(scorers: readonly ScorerFields[]): void;
}

const SCORERS_MAX = 16;

/** How answers are scored: by one scorer, or by several with names and weights. */
export function ScorerForm({ scorers, onChange, ...rest }: ScorerFormProps) {
  const change = (at: number, next: ScorerFields): void => onChange(scorers.with(at, next));
  const isAlone = scorers.length === 1;
  return (
    <>
      {scorers.map((scorer, at) => {
        const settings = (
          <ScorerSettings {...rest} scorer={scorer} at={at} isAlone={isAlone} onChange={(next) => change(at, next)} />
        );
        return isAlone ? (
          <div key={at} className={styles.alone}>
            {settings}
          </div>
        ) : (
          // The fields of a scorer are all that distinguishes it from another.
          // oxlint-disable-next-line react/no-array-index-key
          <fieldset key={at} className={styles.judge}>
            <legend>Scorer {at + 1}</legend>
            {settings}
            <Button
              className={styles.start}
              variant="quiet"
              icon="close"
              onClick={() => onChange(scorers.toSpliced(at, 1))}
            >{`Remove scorer ${at + 1}`}</Button>
          </fieldset>
        );
      })}
      {scorers.length < SCORERS_MAX && (
        <Button
          className={styles.start}
          icon="plus"
          onClick={() => onChange([...scorers, { ...EMPTY_SCORER, scoring: rest.offered[0]?.name ?? '' }])}
        >
          Add scorer
        </Button>
      )}
    </>
  );
}

const WIRE: Readonly<Record<keyof ScorerFields, string>> = {
  ...{ name: 'name', scoring: 'scoring', settings: 'scoring_config', weight: 'weight', passScore: 'pass_score' },
  ...{ judgeConnection: 'judge.connection_id', judgeModel: 'judge.model', rubric: 'judge.rubric' },
  judgeTemperature: 'judge.temperature',
};

/** Paths at which the API says what is wrong with a member of a scorer. A scorer alone may be sent as the run's own scoring. */
function faultOf(faults: FieldFaults, at: number, isAlone: boolean, member: keyof ScorerFields): string | undefined {
  const wire = WIRE[member];
  const listed = faults.at(`scorers.${at}.${wire}`);
  if (listed !== undefined || !isAlone) return listed;
  return faults.at(wire) ?? faults.at(`config.${wire}`);
}

interface ScorerSettingsProps extends Omit<ScorerFormProps, 'scorers' | 'onChange'> {
  scorer: ScorerFields;
  at: number;
  isAlone: boolean;
  onChange(scorer: ScorerFields): void;
}

function ScorerSettings({ scorer, at, isAlone, offered, connections, faults, onChange }: ScorerSettingsProps) {
  const bind = (member: keyof ScorerFields) => ({
    value: scorer[member],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      onChange({ ...scorer, [member]: value }),
    // The pass score of the run has a field of its own with the same name.
    fault: isAlone && member === 'passScore' ? undefined : faultOf(faults, at, isAlone, member),
  });
  const facts = offered.find(({ name }) => name === scorer.scoring);
  const asksModel = (scoring: string): boolean => offered.some((one) => one.name === scoring && one.asks_judge);
  const chooseScoring = ({ currentTarget: { value } }: { currentTarget: { value: string } }): void =>
    onChange({
      ...scorer,
      scoring: value,
      settings: '',
      ...(!asksModel(value) && { judgeConnection: '', judgeModel: '' }),
    });
  const isNamed = !isAlone || scorer.name !== '' || scorer.weight !== '' || scorer.passScore !== '';
  return (
    <>
      <SelectField
        label="Scoring"
        options={offered.map(({ name }) => ({ value: name, label: wordsOfScoring(name) }))}
        {...(facts?.needs_expected && { hint: 'Datapoints without an expected value are not scored.' })}
        {...bind('scoring')}
        onChange={chooseScoring}
      />
      {/* All that a judge can be given is in its group. */}
      {facts?.config_schema && !JUDGES.includes(scorer.scoring) && (
        <TextArea
          label="Scoring settings (JSON)"
          rows={4}
          hint={`Members: ${describeSettings(facts.config_schema)}.`}
          {...bind('settings')}
        />
      )}
      {facts?.asks_judge && (
        <fieldset className={styles.judge}>
          <legend>{facts.embeds ? 'Embeddings' : 'Judge'}</legend>
          <SelectField
            label="Judge connection"
            options={[{ value: '', label: 'Same as the run' }, ...connections]}
            {...bind('judgeConnection')}
          />
          <TextField
            label="Judge model"
            placeholder={facts.embeds ? 'text-embedding-3-small' : 'Same as the run'}
            {...bind('judgeModel')}
          />
          {!facts.embeds && (
            <>
              <TextField
                label="Judge temperature"
                placeholder="0"
                pattern="none|[0-9.]+"
                hint="From 0 to 2; none leaves it out."
                {...bind('judgeTemperature')}
              />
              <TextArea
                label="Rubric"
                rows={4}
                hint={`Leave empty for the built-in rubric. ${describeSettings(facts.config_schema ?? {})}`}
                {...bind('rubric')}
              />
            </>
          )}
        </fieldset>
      )}
      {isNamed && (
        <div className={styles.beside}>
          <TextField label="Name" placeholder={wordsOfScorer(nameOfScorer(scorer))} maxLength={64} {...bind('name')} />
          <TextField label="Weight" type="number" min={0} step="any" placeholder="1" {...bind('weight')} />
          <TextField
            label="Its pass score"
            type="number"
            min={0}
            max={1}
            step="any"
            placeholder={facts?.is_graded ? '0.5, or as the run' : 'Same as the run'}
            {...bind('passScore')}
          />
        </div>
      )}
    </>
  );
}
