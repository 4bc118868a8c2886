/** Texts as somebody would record them who wants to harm anyone who reads them. */
import { until } from '../support/spandrel.ts';
import type { Api } from '../support/api.ts';

/** Stands in every attack, so that a page which shows one can be waited for. */
export const MARK = 'attack-on-the-reader';

const LARGE = 10_000_000;

/** What an attack was planted in, by ids. */
export interface Planted {
  trace: string;
  span: string;
  /** A span with an output of ten megabytes. */
  large: string;
  session: string;
  dataset: string;
  datapoint: string;
  run: string;
}

/** Markup, script, style, links, images and terminal escapes in one text. @param elsewhere a server that nobody should ask. */
const attackOf = (elsewhere: string): string =>
  [
    MARK,
    `<img src="${elsewhere}/img" onerror="globalThis.attacked = 1"><script>globalThis.attacked = 1</script>`,
    `<svg onload="alert(1)"><script href="${elsewhere}/svg"/></svg><iframe src="javascript:alert(1)"></iframe>`,
    `<style>@import url(${elsewhere}/style); body { display: none }</style><base href="${elsewhere}/">`,
    `![image](${elsewhere}/markdown.png) [link](javascript:alert(1)) [data](data:text/html,<script>alert(1)</script>)`,
    `<javascript:alert(1)> [blank](vbscript:alert(1)) [tab](java\tscript:alert(1)) [id][x]\n\n[x]: javascript:alert(1)`,
    '\u001b]8;;javascript:alert(1)\u0007\u001b[31mred\u001b[0m \u202Etxt.exe\u202C \u0008\u0008',
    '{{constructor.constructor("alert(1)")()}} ${alert(1)} <%= 1 %> \' " ` --> ]]>',
  ].join('\n');

/** Names are one line; ids and tags are shorter still. */
const nameOf = (attack: string): string => attack.replaceAll(/[\n\t]/g, ' ').slice(0, 200);

async function make(api: Api, path: string, body: unknown): Promise<string> {
  const { status, body: made } = await api.post<{ id: string }>(path, body);
  if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(made)}`);
  return made.id;
}

/** Plants an attack in every field that a page can show. */
export async function plantAttacks(api: Api, elsewhere: string): Promise<Planted> {
  const attack = attackOf(elsewhere);
  const name = nameOf(attack);
  const session = name;
  const trace = await make(api, '/api/traces', {
    name,
    session_id: session,
    user_id: name,
    tags: [name.slice(0, 100)],
  });
  const span = await plantSpan(api, { trace, name, attack, elsewhere });
  const failed = await make(api, '/api/spans', { trace_id: trace, name, kind: { type: 'tool_call', tool: name } });
  await api.post(`/api/spans/${failed}/fail`, { error: attack });
  const large = await make(api, '/api/spans', { trace_id: trace, name });
  await api.post(`/api/spans/${large}/complete`, { output: `${MARK} <b>${'x'.repeat(LARGE)}` });

  const dataset = await make(api, '/api/datasets', { name, description: attack });
  const datapoint = await make(api, `/api/datasets/${dataset}/datapoints`, {
    kind: { Generic: { input: attack, expected_output: attack, metadata: { [name]: attack } } },
  });
  await make(api, `/api/datasets/${dataset}/capture-rules`, { name, filters: { model: name } });
  const connection = await make(api, '/api/provider-connections', {
    ...{ name, provider: 'custom', api_key: 'sk', base_url: 'http://127.0.0.1:9/v1', default_model: name },
  });
  const run = await make(api, `/api/datasets/${dataset}/eval`, {
    ...{ name, config: { connection_id: connection, model: name, system_prompt: attack }, scoring: 'None' },
    ...{ repeats: 2, metadata: { [name]: attack } },
  });
  await until(async () => {
    const { body } = await api.get<{ status: string }>(`/api/eval/${run}`);
    return !['pending', 'running'].includes(body.status);
  });
  await api.post(`/api/datasets/${dataset}/queue`, { datapoint_ids: [datapoint] });
  return { trace, span, large, session, dataset, datapoint, run };
}

interface Plant {
  trace: string;
  name: string;
  attack: string;
  elsewhere: string;
}

/** A call of a model with attacks in its messages, images, tools and metadata, and with members named after prototypes. */
async function plantSpan(api: Api, { trace, name, attack, elsewhere }: Plant): Promise<string> {
  const image = (url: string): object => ({ type: 'image_url', image_url: { url } });
  const images = [`${elsewhere}/remote.png`, 'data:image/svg+xml,<svg onload="alert(1)"/>', 'javascript:alert(1)'];
  const messages = [
    { role: 'system', content: attack },
    { role: 'user', name, content: [{ type: 'text', text: attack }, ...images.map(image)] },
    { role: name, content: attack },
  ];
  const called = { id: name, type: 'function', function: { name, arguments: JSON.stringify({ [name]: attack }) } };
  const body = JSON.stringify({
    ...{ trace_id: trace, name, input: messages, metadata: { [name]: attack, PROTOTYPE: 1 } },
    kind: { type: 'llm_call', model: name, provider: name, cost: 1, input_tokens: 5, attributes: { [name]: attack } },
  });
  const span = await make(api, '/api/spans', body.replace('"PROTOTYPE":1', POLLUTION));
  const output = { role: 'assistant', content: attack, tool_calls: [called] };
  await api.post(`/api/spans/${span}/complete`, { output });
  return span;
}

const POLLUTION = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}';
