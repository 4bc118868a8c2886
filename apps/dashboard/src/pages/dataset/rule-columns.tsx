import type { CaptureRuleResource } from '@spandrel/contract';
import { RowButton, RowButtons } from '../../components/grid/row-button.js';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { countColumn, textColumn } from '../../features/columns/usual-columns.js';
import { describeFilters, percentOf } from './rule-form.js';
import { RuleSwitch } from './rule-switch.js';

export interface RuleActions {
  /** Reads the rules anew. */
  onChanged(): Promise<void>;
  onEdit(rule: CaptureRuleResource): void;
  onDelete(rule: CaptureRuleResource): void;
}

/** The columns of the list of capture rules. */
export function ruleColumns({ onChanged, onEdit, onDelete }: RuleActions): GridColumn<CaptureRuleResource>[] {
  return [
    textColumn('name', 'Name', 180, ({ name }) => name),
    {
      ...textColumn<CaptureRuleResource>('filters', 'Filters', 200, ({ filters }) => describeFilters(filters)),
      grows: true,
    },
    { id: 'sample', header: 'Sample', width: 72, align: 'end', cell: ({ sample_rate: rate }) => `${percentOf(rate)}%` },
    countColumn('captured', 'Captured', 80, ({ captured_count }) => captured_count),
    {
      id: 'enabled',
      header: 'Enabled',
      width: 64,
      cell: (rule) => <RuleSwitch rule={rule} onChanged={onChanged} />,
    },
    {
      id: 'actions',
      header: 'Actions',
      width: 124,
      cell: (rule) => (
        <RowButtons>
          <RowButton word="Edit" name={rule.name} onClick={() => onEdit(rule)} />
          <RowButton word="Delete" name={rule.name} onClick={() => onDelete(rule)} />
        </RowButtons>
      ),
    },
  ];
}
