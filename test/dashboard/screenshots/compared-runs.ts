/** A dataset, two finished runs over it and a queue of reviews, with a model that answers from a list. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Api } from '../../support/api.ts';
import { until } from '../../support/spandrel.ts';

/** What was asked, what is expected, what the smaller model says instead. */
const CASES: readonly (readonly [string, string, string?])[] = [
  ['How long can I return a lamp?', 'You can return it within 30 days.', 'You can return it within 14 days.'],
  ['Do you ship to Norway?', 'Yes, within five working days.'],
  ['Is the kettle dishwasher safe?', 'No, please wash it by hand.', 'Yes, the kettle is dishwasher safe.'],
  ['Can I pay by invoice?', 'Yes, from the second order on.'],
  ['Who repairs my radio?', 'Our workshop in Utrecht does.', 'Our workshop in Utrecht repairs it.'],
  ['When do you open?', 'Every day from 9 to 18.'],
  ['Is there a warranty on batteries?', 'Yes, for two years.', 'Yes, for one year.'],
  ['Can I change my address?', 'Yes, until the parcel leaves.'],
];

export interface ComparedRuns {
  dataset: string;
  runs: readonly string[];
}

/** Runs both models over the cases, through the API. */
export async function compareRuns(api: Api): Promise<ComparedRuns> {
  const model = await startModel();
  try {
    const dataset = await make(api, '/api/datasets', {
      ...{ name: 'Questions of customers', description: 'Approve what is right and polite.' },
    });
    const datapoints: string[] = [];
    for (const [input, expected] of CASES)
      datapoints.push(
        await make(api, `/api/datasets/${dataset}/datapoints`, {
          kind: { Generic: { input, expected_output: expected } },
        }),
      );
    const connection = await make(api, '/api/provider-connections', {
      ...{ name: 'OpenAI', provider: 'openai', api_key: 'sk-none', default_model: 'gpt-5.1' },
      base_url: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
    });
    const runs: string[] = [];
    for (const name of ['gpt-5.1', 'gpt-5.1-mini']) {
      const { body } = await api.post<{ run_id?: string; id?: string }>(`/api/datasets/${dataset}/eval`, {
        ...{ name: `answers of ${name}`, scoring: 'ExactMatch' },
        config: { connection_id: connection, model: name },
      });
      const run = (body.run_id ?? body.id)!;
      await until(async () => (await api.get<{ status: string }>(`/api/eval/${run}`)).body.status === 'completed');
      runs.push(run);
    }
    await api.post(`/api/datasets/${dataset}/queue`, { datapoint_ids: datapoints });
    return { dataset, runs };
  } finally {
    model.close();
  }
}

async function make(api: Api, path: string, body: object): Promise<string> {
  const answer = await api.post<{ id: string }>(path, body);
  if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body.id;
}

/** Answers as OpenAI does: the large model what is expected, the small one its own. */
async function startModel(): Promise<Server> {
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const { model = '', messages = [] } = JSON.parse(text || '{}') as {
        model?: string;
        messages?: { content: string }[];
      };
      const [, expected, other] = CASES.find(([input]) => messages.at(-1)?.content.includes(input)) ?? ['', ''];
      const content = model.endsWith('mini') && other !== undefined ? other : expected;
      response.setHeader('content-type', 'application/json').end(
        JSON.stringify({
          ...{ id: 'c', object: 'chat.completion', created: 0, model },
          choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
          usage: { prompt_tokens: 24, completion_tokens: 9, total_tokens: 33 },
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
