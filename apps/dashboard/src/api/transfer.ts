import type { ImportJsonResult } from '@spandrel/contract';
import { errorOfAnswer, unreachable } from './api-error.js';
import { goToSignIn } from './go-to-sign-in.js';

/** Where everything of the project is downloaded as one file. */
export const EXPORT_ADDRESS = '/api/export/json';

/**
 * `POST /api/import/json`: takes the file of an export back. `fetch` does not say how much of a body was sent.
 * @param onSent share of the file that was sent, from 0 to 1.
 * @throws ApiError; nothing was imported then.
 */
export function importEverything(file: File, onSent: (share: number) => void): Promise<ImportJsonResult> {
  const request = new XMLHttpRequest();
  request.responseType = 'json';
  return new Promise((resolve, reject) => {
    request.upload.addEventListener('progress', ({ loaded, total }) => onSent(total === 0 ? 1 : loaded / total));
    request.addEventListener('load', () => {
      if (request.status === 401) goToSignIn();
      if (request.status === 200) resolve(request.response as ImportJsonResult);
      else reject(errorOfAnswer(request.status, request.response, { get: (name) => request.getResponseHeader(name) }));
    });
    request.addEventListener('error', () => reject(unreachable()));
    request.open('POST', '/api/import/json');
    request.setRequestHeader('Content-Type', 'application/json');
    request.send(file);
  });
}
