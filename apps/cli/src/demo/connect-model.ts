import type { ConnectionResource, ConnectionTestResult } from '@spandrel/contract';
import { StartError } from '@spandrel/kernel/launch';
import type { ApiClient } from './api-client.js';
import { DEMO_MARKS } from './demo-marks.js';
import { FAKE_MODELS } from './fake-model/fake-models.js';

const PATH = '/api/provider-connections';

/** The demo's connections: one, or none. */
export async function findConnections(api: ApiClient): Promise<ConnectionResource[]> {
  const connections = await api.list<ConnectionResource>(`${PATH}?limit=1000`, 'connections');
  return connections.filter(({ base_url: base }) => URL.parse(base ?? '')?.pathname === `${DEMO_MARKS.modelPath}/v1`);
}

/**
 * Makes the connection to the fake model, or leads the one that is there to where the model is now, and tries it.
 * @param modelUrl as the server reaches it.
 * @returns the connection's id.
 * @throws StartError when the server does not get through.
 */
export async function connectModel(api: ApiClient, modelUrl: string): Promise<string> {
  const members = {
    name: 'Demo: fake model',
    provider: 'custom',
    api_key: '',
    base_url: `${modelUrl}${DEMO_MARKS.modelPath}/v1`,
    default_model: FAKE_MODELS.chat,
  };
  const [known] = await findConnections(api);
  const { id } = known
    ? await api.put<ConnectionResource>(`${PATH}/${known.id}`, members)
    : await api.post<ConnectionResource>(PATH, members);
  const { ok, error } = await api.post<ConnectionTestResult>(`${PATH}/${id}/test`, {});
  if (!ok) throw new StartError([`the server does not get through to the fake model at ${modelUrl}: ${error}`]);
  return id;
}
