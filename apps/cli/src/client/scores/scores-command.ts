import { createScoreSchema, listScoresSchema, type ScoreResource } from '@spandrel/contract';
import { z } from 'zod';
import { clientCommand, type ClientProgram } from '../client-command.js';
import { addListed } from '../list/list-command.js';
import type { Column } from '../output/table.js';
import { timeText } from '../output/units.js';
import { addParameterFlags, readParameters } from '../parameter-flags.js';

const { name: _name, metadata: _metadata, ...members } = createScoreSchema.shape;
const flagsSchema = z.object({ ...members, value: z.number().optional().describe('A number.') });

export function addScores(client: ClientProgram, description: string): void {
  const scores = addListed(client, description, { member: 'scores', schema: listScoresSchema, columns });
  const adding = scores
    .command('add')
    .description('score a trace, a span or a session: by a value, a label or a comment')
    .argument('<name>', 'what the score is of, such as helpful');
  addParameterFlags(adding, flagsSchema);
  clientCommand<object>(client, adding, async ({ api, out, options }, name) => {
    const score = await api.createScore({ body: { ...readParameters(flagsSchema, options), name } });
    if (out.json) return out.document(score);
    await out.lines(out.table(columns(out.isTerminal)).lines([score as ScoreResource]));
  });
}

const columns = (isTerminal: boolean): readonly Column<ScoreResource>[] => [
  { title: 'ID', text: ({ id }) => id, style: () => 'cyan' },
  { title: 'MADE', text: ({ created_at: at }) => timeText(at, isTerminal), leaveOut: 2 },
  { title: 'NAME', text: ({ name }) => name, shrinks: true },
  { title: 'VALUE', text: ({ value }) => (value === null ? '' : String(value)), align: 'right' },
  { title: 'LABEL', text: ({ label }) => label ?? '', shrinks: true },
  { title: 'SOURCE', text: ({ source }) => source, leaveOut: 3 },
  {
    title: 'ABOUT',
    text: ({ trace_id: trace, span_id: span, session_id: session }) => span ?? trace ?? session ?? '',
    leaveOut: 1,
  },
  { title: 'COMMENT', text: ({ comment }) => comment ?? '', shrinks: true, leaveOut: 4 },
];
