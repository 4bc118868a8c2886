import { listSpansInViewSchema } from '@spandrel/contract';
import type { ClientProgram } from '../client-command.js';
import { addListCommand } from '../list/list-command.js';
import { PREVIEW_COLUMNS } from '../list/preview-columns.js';
import { spanColumns } from './span-columns.js';

/** `spandrel spans …`. */
export function addSpans(client: ClientProgram, description: string): void {
  const spans = client.program.command('spans').description(description);
  addListCommand(client, spans, 'list spans, newest first', {
    path: '/api/spans',
    member: 'spans',
    schema: listSpansInViewSchema,
    columns: spanColumns,
    previews: PREVIEW_COLUMNS,
    // A table shows no texts, which are most of what a span holds.
    forTable: { view: 'outline' },
  });
}
