/** A program that uses the types of the package; the lines under `@ts-expect-error` must not compile. */
export const TYPED = `
import { Spandrel, SpandrelError, createApi } from '@spandrel/sdk';
import type { AnswerOf, Api, ItemOf, resources } from '@spandrel/sdk';

const spandrel = new Spandrel({ apiUrl: 'http://127.0.0.1:3000' });
const api: Api = createApi({ url: 'http://127.0.0.1:3000', key: 'spn_sk_one' });

export async function reads(): Promise<resources.EvalRunSummary[]> {
  const page: AnswerOf<'listEvals'> = await spandrel.api.listEvals({ path: { id: 'd' }, query: { limit: 10 } });
  const names: string[] = [];
  for await (const span of spandrel.api.pages('listSpans', { query: { model: 'gpt-4o-mini' } })) {
    const typed: ItemOf<'listSpans'> = span;
    names.push(typed.name, JSON.stringify(span.input));
  }
  const file: Response = await api.exportDataset({ path: { id: 'd' }, query: { format: 'jsonl' } });
  await api.raw('POST', '/api/datasets/d/import', { body: file.body ?? '', headers: { 'content-type': 'text/csv' } });
  // @ts-expect-error the id of the dataset is missing
  await api.listEvals({ query: { limit: 10 } });
  // @ts-expect-error misspelt
  await api.listTraces({ query: { limt: 10 } });
  // @ts-expect-error no such status
  await api.listTraces({ query: { status: 'done' } });
  return page.runs;
}

export async function fails(): Promise<string | number> {
  try {
    await api.createTrace({ body: { id: 'chosen', name: 'n' } });
    return 'made';
  } catch (error) {
    if (!(error instanceof SpandrelError)) throw error;
    const { status, code, detail, requestId, errors } = error;
    return code === 'id_conflict' ? status : [detail, requestId, errors[0]?.path].join();
  }
}

export const doubled: (n: number) => Promise<number> = spandrel.observe(async (n: number) => n * 2, { name: 'double' });
// @ts-expect-error what is wrapped takes a number
void doubled('two');
`;
