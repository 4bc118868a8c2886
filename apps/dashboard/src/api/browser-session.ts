import type { BrowserSessionResource, SessionProjects, SignedOut } from '@spandrel/contract';
import { call } from './call.js';

const PATH = '/api/session';

/** `GET /api/session`: who is signed in in this browser; it is no 401 where nobody is. */
export const readBrowserSession = (): Promise<BrowserSessionResource> => call(PATH);

/** `POST /api/session`. @throws ApiError 401 for what is no valid credential. */
export const signIn = (credential: string): Promise<BrowserSessionResource> =>
  call(PATH, { method: 'POST', body: { credential } });

/** `DELETE /api/session`. @throws ApiError 404 where something between browser and server adds the credential. */
export const signOut = (): Promise<SignedOut> => call(PATH, { method: 'DELETE' });

/** `GET /api/session/projects`: the projects that this browser can be taken to. */
export const listSessionProjects = (): Promise<SessionProjects> => call(`${PATH}/projects`);

/** `PATCH /api/session`: takes this browser to another project. */
export const switchProject = (id: string): Promise<BrowserSessionResource> =>
  call(PATH, { method: 'PATCH', body: { project_id: id } });
