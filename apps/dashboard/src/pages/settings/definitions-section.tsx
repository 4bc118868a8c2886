import type { ScoreDefinition } from '@spandrel/contract';
import { NONE } from '@spandrel/contract/browser';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api } from '../../api/api.js';
import { Button, RowButton, RowButtons } from '../../components/button.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import { textColumn } from '../../features/columns/usual-columns.js';
import { ConfirmAction } from '../../features/dialogs.js';
import { useAdministeredList } from '../../features/list/use-paged-list.js';
import { SCORE_DEFINITIONS } from '../../features/scores/score-definitions.js';
import { DefinitionDialog } from './definition-dialog.js';
import { KIND_WORDS, writeCategories } from './definition-form.js';
import { AdministeredGrid, Section } from './section.js';

type Opened = 'new' | { word: 'Edit' | 'Delete'; definition: ScoreDefinition } | null;

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
        <Button writes icon="plus" onClick={() => setOpened('new')}>
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
      {opened === 'new' && <DefinitionDialog definition={null} {...{ onChanged }} onClose={close} />}
      {opened !== null && opened !== 'new' && opened.word === 'Edit' && (
        <DefinitionDialog definition={opened.definition} {...{ onChanged }} onClose={close} />
      )}
      {opened !== null && opened !== 'new' && opened.word === 'Delete' && (
        <ConfirmAction
          title="Delete score definition?"
          action="Delete"
          act={() => api.deleteScoreDefinition({ path: { id: opened.definition.id } })}
          onDone={onChanged}
          done={`Deleted the definition ${opened.definition.name}`}
          failed="The definition could not be deleted"
          onClose={close}
        >
          <p>
            Scores of the name <bdi>{opened.definition.name}</bdi> stay as they are; new ones may have any value.
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
          <RowButton key={word} word={word} name={definition.name} onClick={() => open({ word, definition })} />
        ))}
      </RowButtons>
    )),
  ];
}
