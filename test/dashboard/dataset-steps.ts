/** What the journeys of datasets have in common. */
import type { Locator } from 'playwright-core';
import { page, program } from './shared-dashboard.ts';

/** A datapoint as the API has it. */
export interface Datapoint {
  id: string;
  kind: Record<string, Record<string, unknown>>;
  source: string;
  source_span_id: string | null;
}

export const open = (path: string) => page.goto(`${program.apiUrl}${path}`);
export const grid = (name: string): Locator => page.getByRole('grid', { name });
export const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
export const editor = (): Locator => page.getByRole('textbox', { name: 'Datapoint JSON' });
/** The text of the editor; it draws the lines on screen alone. */
export const editorText = async (): Promise<string> =>
  (await editor().locator('.cm-line').allTextContents()).join('\n');
/** Waits for a notification. */
export const reported = (text: string): Promise<void> =>
  page.getByRole('region', { name: 'Notifications' }).getByText(text, { exact: true }).waitFor();
export const heading = (name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
export const count = (text: string): Promise<void> =>
  page.getByRole('status', { name: 'Result count' }).getByText(text, { exact: true }).waitFor();

/** Makes a dataset of generic datapoints. @returns its id. */
export async function makeDataset(name: string, inputs: readonly string[] = []): Promise<string> {
  const { body } = await program.api.post<{ id: string }>('/api/datasets', { name });
  for (const input of inputs)
    await program.api.post(`/api/datasets/${body.id}/datapoints`, { kind: { Generic: { input } } });
  return body.id;
}

export const datapointsOf = async (id: string): Promise<Datapoint[]> =>
  (await program.api.get<{ datapoints: Datapoint[] }>(`/api/datasets/${id}/datapoints`)).body.datapoints;
export const versionOf = async (id: string): Promise<number> =>
  (await program.api.get<{ version: number }>(`/api/datasets/${id}`)).body.version;
