import { expect } from '@jest/globals';
import { TransferSettings } from '@spandrel/transfer';
import type { ImportJsonResult, Problem } from '@spandrel/contract';
import type { StorageConfig } from '@spandrel/storage';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { importJson, type ImportJsonAnswer } from './import-json.ts';

/** The server as the tests of export and import use it; a project of its own stands for an empty instance. */
export interface TransferServer extends ServerApp {
  /** The largest file it takes. */
  importBytes: number;
  /** A project that nothing is in. */
  project(): string;
  /** Calls the API in a project. @throws when the answer is an error. */
  call<Body>(project: string, method: string, path: string, body?: unknown): Promise<Body>;
  /** The file of an export. @param query behind `?`. */
  export(project: string, query?: string): Promise<string>;
  import(project: string, body: string | Uint8Array<ArrayBuffer>): Promise<ImportJsonAnswer>;
  /** Imports a file that must be taken as a whole. */
  restore(project: string, file: string): Promise<ImportJsonResult>;
}

let projects = 0;

const IMPORT_BYTES = 8 * 1024 * 1024;

export async function startTransferServer(config: StorageConfig): Promise<TransferServer> {
  const server = await startServerApp(config, {
    settings: (settings) => (settings.of(TransferSettings).importBytes = IMPORT_BYTES),
  });
  const headers = (project: string) => ({ 'x-test-project': project });
  const send = (project: string, body: string | Uint8Array<ArrayBuffer>) =>
    importJson(server.url, body, { headers: headers(project) });
  return {
    ...server,
    importBytes: IMPORT_BYTES,
    project: () => `project-${++projects}`,
    async call<Body>(project: string, method: string, path: string, body?: unknown) {
      const answer = await server.api.send<Body & Problem>(method, path, body, headers(project));
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body.detail}`);
      return answer.body;
    },
    async export(project, query = '') {
      const answer = await fetch(`${server.url}/api/export/json?${query}`, { headers: headers(project) });
      expect(answer.status).toBe(200);
      return answer.text();
    },
    import: send,
    async restore(project, file) {
      const { status, body } = await send(project, file);
      expect([status, body.detail, body.rejected]).toEqual([200, undefined, []]);
      return body;
    },
  };
}

/** An export without the time at which it was made. */
export const undated = (file: string): string => file.replace(/"exported_at":"[^"]+"/, '');
