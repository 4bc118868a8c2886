import type { ScoreDefinition } from '@spandrel/contract';
import { NONE } from '@spandrel/contract/browser';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api } from '../../api/api.js';
import { Button, RowButton, RowButtons } from '../../components/button.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import { textColumn } from '../../features/columns/usual-columns.js';
import { ConfirmAction, FormDialog, NEW_ROW, type OpenedDialog } from '../../features/dialogs.js';
import { useAdministeredList } from '../../features/list/use-paged-list.js';
import { SCORE_DEFINITIONS } from '../../features/scores/score-definitions.js';
import { KIND_WORDS, writeCategories, readDefinition } from './definition-form.js';
import { AdministeredGrid, Section } from './section.js';
import { SelectField, TextArea, TextField } from '../../components/field.js';

type Opened = OpenedDialog<ScoreDefinition>;

/** What scores of which name look like, which makes the forms of reviews and of scores given by hand. */
export function DefinitionsSection() {
  const { list, reread } = useAdministeredList<ScoreDefinition>('score definitions', 'listScoreDefinitions');
  const client = useQueryClient();
  const [opened, setOpened] = useState<Opened>(null);
  const columns = useMemo(() => definitionColumns(setOpened), []);
  const close = (): void => setOpened(null);
  const onChanged = (): void => {
    void client.invalidateQueries({ queryKey: SCORE_DEFINITIONS.queryKey });
    void reread();
  };
  return (
    <Section
      title="Score definitions"
      actions={
        <Button writes icon="plus" onClick={() => setOpened(NEW_ROW)}>
          New definition
        </Button>
      }
    >
      <AdministeredGrid
        label="Score definitions"
        list={list}
        columns={columns}
        empty="No definitions yet. A definition says what scores of a name look like: a number in a range, a category, yes or no, or a text. Reviews and scores by hand ask for them with a form."
      />
      {(opened?.word === 'New' || opened?.word === 'Edit') && (
        <DefinitionDialog definition={opened.row} {...{ onChanged }} onClose={close} />
      )}
      {opened?.word === 'Delete' && (
        <ConfirmAction
          title="Delete score definition?"
          action="Delete"
          act={() => api.deleteScoreDefinition({ path: { id: opened.row.id } })}
          onDone={onChanged}
          done={`Deleted the definition ${opened.row.name}`}
          failed="The definition could not be deleted"
          onClose={close}
        >
          <p>
            Scores of the name <bdi>{opened.row.name}</bdi> stay as they are; new ones may have any value.
          </p>
        </ConfirmAction>
      )}
    </Section>
  );
}

/** What a score may be: `0 to 1`, `kind, rude`. */
function rangeOf({ min, max, categories }: ScoreDefinition): string {
  if (categories.length > 0) return writeCategories(categories).replaceAll('\n', ', ');
  if (min === null && max === null) return NONE;
  return `${min ?? 'any'} to ${max ?? 'any'}`;
}

function definitionColumns(open: (opened: Opened) => void): GridColumn<ScoreDefinition>[] {
  return [
    textColumn('name', 'Name', 160, ({ name }) => name),
    { id: 'kind', header: 'Kind', width: 90, cell: ({ kind }) => KIND_WORDS[kind] },
    { ...textColumn<ScoreDefinition>('values', 'Values', 160, rangeOf), grows: true },
    {
      ...textColumn<ScoreDefinition>('description', 'Description', 200, ({ description }) => description),
      grows: true,
    },
    cellColumn('actions', 'Actions', 130, (definition) => (
      <RowButtons>
        {(['Edit', 'Delete'] as const).map((word) => (
          <RowButton key={word} word={word} name={definition.name} onClick={() => open({ word, row: definition })} />
        ))}
      </RowButtons>
    )),
  ];
}

interface DefinitionDialogProps {
  definition: ScoreDefinition | null;
  onChanged(): void;
  onClose(): void;
}

const PATHS = ['name', 'kind', 'min', 'max', 'categories', 'level', 'description'];

const KINDS = Object.entries(KIND_WORDS).map(([value, label]) => ({ value, label }));

const LEVELS = [
  { value: '', label: 'By the kind' },
  { value: 'nominal', label: 'Nominal: answers are equal or not' },
  { value: 'ordinal', label: 'Ordinal: answers have an order' },
  { value: 'interval', label: 'Interval: distances count' },
];

function DefinitionDialog({ definition, onChanged, onClose }: DefinitionDialogProps) {
  const [kind, setKind] = useState<string>(definition?.kind ?? 'number');
  const send = (form: FormData): Promise<unknown> => {
    const body = readDefinition(form);
    if (definition !== null) return api.updateScoreDefinition({ path: { id: definition.id }, body });
    return api.createScoreDefinition({ body: { name: String(form.get('name')), ...body } });
  };
  return (
    <FormDialog
      title={definition === null ? 'New score definition' : `Edit ${definition.name}`}
      action={definition === null ? 'Create' : 'Save'}
      failed="The definition could not be saved"
      paths={PATHS}
      send={send}
      onSent={() => {
        onChanged();
        onClose();
      }}
      onClose={onClose}
    >
      {(faults) => {
        const bound = (name: 'min' | 'max', label: string) => (
          <TextField
            {...{ label, name, fault: faults.at(name), inputMode: 'decimal' }}
            defaultValue={definition?.[name] ?? ''}
          />
        );
        return (
          <>
            {definition === null && <TextField label="Name" name="name" required fault={faults.at('name')} />}
            <SelectField
              label="Kind"
              name="kind"
              options={KINDS}
              value={kind}
              onChange={({ target }) => setKind(target.value)}
            />
            {kind === 'number' && (
              <>
                {bound('min', 'Smallest value')}
                {bound('max', 'Largest value')}
              </>
            )}
            {kind === 'category' && (
              <TextArea
                label="Categories"
                name="categories"
                rows={4}
                hint="One per line. To give a category a numeric value, add it after =, as in good = 1."
                fault={faults.at('categories')}
                defaultValue={writeCategories(definition?.categories ?? [])}
              />
            )}
            {kind !== 'text' && (
              <SelectField
                label="Level"
                name="level"
                options={LEVELS}
                defaultValue={definition?.level ?? ''}
                hint="How far apart two answers are when agreement is computed."
              />
            )}
            <TextArea
              label="Description"
              name="description"
              rows={2}
              dir="auto"
              hint="Reviewers read it beside the field."
              fault={faults.at('description')}
              defaultValue={definition?.description ?? ''}
            />
          </>
        );
      }}
    </FormDialog>
  );
}
