import type { BrowserSessionResource } from '@spandrel/contract';
import { call } from './call.js';

const PATH = '/api/session';

/** `GET /api/session`: who is signed in in this browser; it is no 401 where nobody is. */
export const readBrowserSession = (): Promise<BrowserSessionResource> => call(PATH);

/** `POST /api/session`. @throws ApiError 401 for what is no valid credential. */
export const signIn = (credential: string): Promise<BrowserSessionResource> =>
  call(PATH, { method: 'POST', body: { credential } });

/** `DELETE /api/session`. @throws ApiError 404 where something between browser and server adds the credential. */
export const signOut = (): Promise<unknown> => call(PATH, { method: 'DELETE' });
