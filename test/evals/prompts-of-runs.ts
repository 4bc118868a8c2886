/** Prompts with variables, and runs that are started together (docs/spec/evaluations.md#prompts). */
import { describe, expect, it } from '@jest/globals';
import type { DatapointKind, EvalRunSummary, Problem, SpanResource, StartedMatrix } from '@spandrel/contract';
import { until } from '../support/spandrel.ts';
import type { EvalsLab } from './evals-lab.ts';

const user = (content: string) => ({ role: 'user', content });
const row = (question: string, metadata: Record<string, unknown> = {}): DatapointKind => ({
  Generic: { input: { question }, expected_output: question, metadata },
});

export function promptsOfRuns(lab: () => EvalsLab): void {
  const faultsOf = ({ errors = [] }: Problem) => errors.map(({ path, message }) => [path, message]);

  describe('a prompt with variables', () => {
    it('is filled for each datapoint, shown in the config, and recorded as it was sent', async () => {
      const { id } = await lab().dataset(row('Who?', { category: 'legal' }), row('When?', { category: 'tax' }));
      const messages = [
        { role: 'system', content: 'You know {{metadata.category}}. \\{{input}} is literal.' },
        user('Q: {{ input.question }}'),
      ];
      const run = await lab().run(id, { scoring: 'Contains', config: { messages, trace: true } });
      expect(run.config).toMatchObject({ messages, system_prompt: null });
      expect(run.result_items.map(({ output, score }) => [output, score])).toEqual([
        ['You said: Q: Who?', 1],
        ['You said: Q: When?', 1],
      ]);
      const traced = await lab().api.get<{ spans: SpanResource[] }>(`/api/traces/${run.result_items[1]!.trace_id}`);
      expect(traced.body.spans[0]!.input).toEqual([
        { role: 'system', content: 'You know tax. {{input}} is literal.' },
        user('Q: When?'),
      ]);
      const read = await lab().summary(run.id);
      expect(read.config).toEqual(run.config);
    });

    it("takes the datapoint's conversation in the place of {{messages}}", async () => {
      const conversation = { messages: [user('Hello'), { role: 'assistant', content: 'Hi' }, user('Bye')] };
      const { id } = await lab().dataset({ LlmConversation: conversation }, 'alone');
      const messages = [{ role: 'system', content: 'Be brief.' }, user('{{messages}}'), user('Now: go')];
      const run = await lab().run(id, { config: { messages, trace: true } });
      expect(run.failed_count).toBe(0);
      const sent = async (index: number) => {
        const { trace_id: traceId } = run.result_items[index]!;
        return (await lab().api.get<{ spans: SpanResource[] }>(`/api/traces/${traceId}`)).body.spans[0]!.input;
      };
      expect(await sent(0)).toEqual([messages[0], ...conversation.messages, messages[2]]);
      expect(await sent(1)).toEqual([messages[0], user('alone'), messages[2]]);
    });

    it('is refused before any call where it names what nobody or not every datapoint has', async () => {
      const { id } = await lab().dataset(row('a', { category: 'x' }), row('b'), row('c', { category: null }));
      lab().provider.requests.length = 0;
      const unknown = await lab().start<Problem>(id, {
        config: { messages: [user('{{question}}'), user('{{#if input}}'), user('{{input}}')] },
      });
      expect([unknown.status, unknown.body.code]).toEqual([400, 'validation_failed']);
      expect(faultsOf(unknown.body)).toEqual([
        ['config.messages[0].content', expect.stringContaining('unknown variable "question"')],
        ['config.messages[1].content', expect.stringContaining('unknown variable "#if input"')],
      ]);
      const lacking = await lab().start<Problem>(id, {
        config: { messages: [user('{{input.question}} {{metadata.category}}'), user('{{metadata.tone}}')] },
      });
      expect(lacking.status).toBe(400);
      expect(faultsOf(lacking.body)).toEqual([
        ['config.messages[0].content', 'names {{metadata.category}}, which 2 of the 3 datapoints do not have'],
        ['config.messages[1].content', 'names {{metadata.tone}}, which 3 of the 3 datapoints do not have'],
      ]);
      const both = await lab().start<Problem>(id, {
        config: { messages: [user('{{input}}')], system_prompt: 'Be brief' },
      });
      expect(faultsOf(both.body)).toEqual([['config.system_prompt', 'must be left out where there are messages']]);
      const shapes = [[], [{ role: 'tool', content: 'x' }], [{ role: 'user' }], 'text'];
      for (const messages of shapes) {
        expect((await lab().start<Problem>(id, { config: { messages } })).status).toBe(400);
      }
      expect(lab().provider.requests).toEqual([]);
      expect(await lab().runs(id)).toEqual([]);
    });

    it('is kept as it is said for an external run, which its caller executes', async () => {
      const { id } = await lab().dataset('a');
      const messages = [user('{{#each}} {{anything}}')];
      const body = { execution: 'external', scoring: 'External', config: { messages, connection_id: undefined } };
      const { status, body: run } = await lab().start(id, body);
      expect([status, run.config.messages]).toEqual([201, messages]);
    });
  });

  describe('several runs at once', () => {
    const matrix = <Body = StartedMatrix & Problem>(datasetId: string, body: object) =>
      lab().api.post<Body>(`/api/datasets/${datasetId}/eval/matrix`, {
        ...{ name: 'night', scoring: 'Contains', config: { connection_id: lab().connectionId } },
        ...body,
      });

    it('are one for each model with each prompt, of one group', async () => {
      const { id } = await lab().dataset(row('a'), row('b'));
      const { body: second } = await lab().api.post<{ id: string }>('/api/provider-connections', {
        ...{ name: 'second', provider: 'custom', api_key: '', base_url: `${lab().provider.url}/v1` },
        default_model: 'usual',
      });
      const terse = { name: 'terse', messages: [user('{{input.question}}')] };
      const { status, body } = await matrix(id, {
        models: ['gpt-5.1', { connection_id: second.id }],
        prompts: [terse, { system_prompt: 'Be kind' }],
        config: { connection_id: lab().connectionId, temperature: 0.5 },
        repeats: 2,
        metadata: { branch: 'main' },
      });
      expect(status).toBe(201);
      expect(body.runs.map(({ name, config, group_id: group }) => [name, config, group])).toEqual(
        [
          ['night, gpt-5.1, terse', 'gpt-5.1', lab().connectionId],
          ['night, gpt-5.1, prompt 2', 'gpt-5.1', lab().connectionId],
          ['night, usual, terse', 'usual', second.id],
          ['night, usual, prompt 2', 'usual', second.id],
        ].map(([name, model, connection], index) => [
          name,
          {
            ...{ connection_id: connection, model, temperature: 0.5, max_tokens: null, trace: false, judge: null },
            ...(index % 2 === 0 ? { system_prompt: null, messages: terse.messages } : { system_prompt: 'Be kind' }),
          },
          body.group_id,
        ]),
      );
      for (const run of body.runs) {
        expect(run).toMatchObject({ repeats: 2, metadata: { branch: 'main' }, result_items: [] });
      }
      await lab().run(id);
      const listed = async (query: string) =>
        (await lab().api.get<{ runs: EvalRunSummary[] }>(`/api/eval?${query}`)).body.runs.map((run) => run.id);
      const ids = body.runs.map((run) => run.id);
      expect((await listed(`group_id=${body.group_id}`)).toSorted()).toEqual(ids.toSorted());
      expect(await listed(`group_id=${body.group_id}&dataset_id=nope`)).toEqual([]);
      expect(await listed('group_id=nope')).toEqual([]);
      expect(await listed('group_id=%00')).toEqual([]);
      for (const runId of ids) expect((await lab().ended(runId)).avg_score).toBe(1);
    });

    it('are all made or none', async () => {
      const { id } = await lab().dataset(row('a', { category: 'x' }), row('b'));
      const refused: [object, number, string | undefined][] = [
        [{ models: ['m', { connection_id: 'gone', model: 'm' }] }, 404, undefined],
        [
          { models: ['m'], prompts: [{}, { messages: [user('{{metadata.category}}')] }] },
          400,
          'prompts[1].messages[0].content',
        ],
        [{ models: ['m'], prompts: [{ messages: [user('{{nobody}}')] }] }, 400, 'prompts[0].messages[0].content'],
        [{ prompts: [{ system_prompt: 'a', messages: [user('b')] }] }, 400, 'prompts[0].system_prompt'],
        [{}, 400, 'models'],
        [{ models: [] }, 400, 'models'],
        [{ models: [7] }, 400, 'models[0]'],
        [{ models: Array.from({ length: 11 }, (_, n) => `m${n}`), prompts: [{}, {}, {}] }, 400, 'models'],
        [{ models: ['m'], config: {} }, 400, 'config.connection_id'],
        [{ models: ['m', 'n'], max_cost_usd: 1 }, 400, 'max_cost_usd'],
        [{ models: ['m'], scoring: undefined }, 400, 'scoring'],
      ];
      for (const [body, status, path] of refused) {
        const answer = await matrix(id, body);
        expect([body, answer.status, answer.body.errors?.[0]?.path]).toEqual([body, status, path]);
      }
      expect((await matrix('gone', { models: ['m'] })).body.code).toBe('dataset_not_found');
      expect(await lab().runs(id)).toEqual([]);
    });

    it('are the same for the same request with an id, and another request is refused', async () => {
      const { id } = await lab().dataset('a');
      const body = { id: `group-${id}`, scoring: 'None', models: ['gpt-5.1', 'm'] };
      const first = await matrix(id, body);
      expect(first.body).toMatchObject({ group_id: body.id, runs: [{ id: `${body.id}.1` }, { id: `${body.id}.2` }] });
      await until(async () => (await lab().runs(id)).every(({ status }) => status === 'completed'), 20_000);
      const again = await matrix(id, body);
      expect(again.body.runs.map((run) => [run.id, run.status])).toEqual(
        first.body.runs.map((run) => [run.id, 'completed']),
      );
      const other = await matrix(id, { ...body, models: ['gpt-5.1'] });
      expect([other.status, other.body.code]).toEqual([409, 'id_conflict']);
      expect(await lab().runs(id)).toHaveLength(2);
    });
  });
}
