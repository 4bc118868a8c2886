import type { ConnectionResource } from '@spandrel/contract';
import { NONE } from '@spandrel/contract/browser';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { RowButton, RowButtons } from '../../components/grid/row-button.js';
import { Time } from '../../components/time.js';

/** What can be done with a connection. */
export interface ConnectionActions {
  onTest(connection: ConnectionResource): void;
  onEdit(connection: ConnectionResource): void;
  onDelete(connection: ConnectionResource): void;
}

/** What is said of a key; nothing of the key itself. */
const KEY_WORDS: Readonly<Record<ConnectionResource['key_status'], string>> = {
  readable: 'Stored',
  unreadable: 'Cannot be read',
  missing: 'Missing',
};

type Column = GridColumn<ConnectionResource>;

/** Every column of the list of connections. @param zone zone of the times, shown in the header. */
export function connectionColumns(zone: string, { onTest, onEdit, onDelete }: ConnectionActions): Column[] {
  return [
    textOf('name', 'Name', 160, ({ name }) => name),
    textOf('provider', 'Provider', 100, ({ provider }) => provider),
    { ...textOf('base_url', 'Base URL', 200, ({ base_url: url }) => url ?? 'Default'), grows: true },
    textOf('default_model', 'Default model', 150, ({ default_model: model }) => model ?? NONE),
    { id: 'key', header: 'Key', width: 110, cell: ({ key_status: status }) => KEY_WORDS[status] },
    { id: 'updated_at', header: 'Updated', note: zone, width: 136, cell: ({ updated_at: at }) => <Time at={at} /> },
    {
      id: 'actions',
      header: 'Actions',
      width: 176,
      cell: (row) => (
        <RowButtons>
          <RowButton word="Test" name={row.name} onClick={() => onTest(row)} />
          <RowButton word="Edit" name={row.name} onClick={() => onEdit(row)} />
          <RowButton word="Delete" name={row.name} onClick={() => onDelete(row)} />
        </RowButtons>
      ),
    },
  ];
}

function textOf(id: string, header: string, width: number, of: (row: ConnectionResource) => string): Column {
  return { id, header, width, cell: (row) => <bdi title={of(row)}>{of(row)}</bdi> };
}
