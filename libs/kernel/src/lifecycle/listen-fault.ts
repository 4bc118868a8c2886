import { settingName, type Setting } from '../config/setting.js';
import { StartError } from '../errors/start-error.js';

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there; stop it, or choose another port',
  EACCES: 'the user that Spandrel runs as may not listen there; choose a port from 1024 on',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no host of that name',
};

/** Why an app does not listen where its settings say, naming the setting of the port. */
export function listenFault(setting: Setting, host: string, port: number, error: unknown): StartError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new StartError([
    `${settingName(setting)}: cannot listen on ${host}:${port}: ${REASONS[code ?? ''] ?? message}`,
  ]);
}
