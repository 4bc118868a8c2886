import type { Command } from 'commander';
import type { ClientProgram } from './client/client-command.js';

/** A command of `spandrel`. Its code is loaded when it is called, so that no other command pays for it. */
export type CommandEntry = {
  name: string;
  description: string;
} & (
  | {
      asksServer?: false;
      /** @returns what puts the command below the program. */
      load(): Promise<(parent: { program: Command }, description: string) => void>;
    }
  | {
      /** It asks a server over HTTP, and ends with one of the exit codes of such commands. */
      asksServer: true;
      load(): Promise<(client: ClientProgram, description: string) => void>;
    }
);

type ClientCommandEntry = Extract<CommandEntry, { asksServer: true }>;

const ofSettings = (name: keyof typeof import('./settings-commands.js')) => async () =>
  (await import('./settings-commands.js'))[name];

/** All of them, in the order in which help names them. */
export const COMMANDS: readonly CommandEntry[] = [
  { name: 'serve', description: 'run API and gateway', load: ofSettings('addServe') },
  { name: 'server', description: 'run the API alone', load: ofSettings('addServer') },
  { name: 'gateway', description: 'run the recording proxy alone', load: ofSettings('addGateway') },
  {
    name: 'backup',
    description: 'copy the database to a file, also while the server runs',
    load: ofSettings('addBackup'),
  },
  {
    name: 'secrets',
    description: 'look after the secret key that seals the keys of provider connections',
    load: ofSettings('addSecrets'),
  },
  {
    name: 'analytics',
    description: 'look after the sums that summary and time series are read from',
    load: ofSettings('addAnalytics'),
  },
  {
    name: 'retention',
    description: 'delete what has been kept as long as plans say',
    load: ofSettings('addRetention'),
  },
  {
    name: 'demo',
    description: 'record a small example with a fake model, without any key; --remove removes it',
    load: ofSettings('addDemo'),
  },
  {
    name: 'admin',
    description: 'administer organizations, projects and API keys (cloud mode)',
    load: async () => (await import('./admin-command.js')).addAdmin,
  },
  {
    name: 'traces',
    description: 'list traces, show one, follow what is recorded',
    asksServer: true,
    load: async () => (await import('./client/traces/traces-command.js')).addTraces,
  },
  {
    name: 'spans',
    description: 'list spans of all traces',
    asksServer: true,
    load: async () => (await import('./client/spans/spans-command.js')).addSpans,
  },
  {
    name: 'sessions',
    description: 'list sessions',
    asksServer: true,
    load: async () => (await import('./client/sessions/sessions-command.js')).addSessions,
  },
  {
    name: 'stats',
    description: 'show sums over what was recorded, or how they go over time',
    asksServer: true,
    load: async () => (await import('./client/stats/stats-command.js')).addStats,
  },
  {
    name: 'prices',
    description: 'show the prices by which costs are computed, check a table of prices, price recorded spans again',
    asksServer: true,
    load: async () => (await import('./client/prices/prices-command.js')).addPrices,
  },
  {
    name: 'datasets',
    description: 'list datasets, import a file into one, export one',
    asksServer: true,
    load: async () => (await import('./client/datasets/datasets-command.js')).addDatasets,
  },
  {
    name: 'eval',
    description: 'run evaluations, judge them by gates, compare them',
    asksServer: true,
    load: async () => (await import('./eval/eval-command.js')).addEval,
  },
  {
    name: 'api',
    description: 'call any endpoint of the API',
    asksServer: true,
    load: async () => (await import('./client/api/call-api.js')).addApi,
  },
  {
    name: 'mcp',
    description: 'offer the tools of a server to agents that start a process (Model Context Protocol on stdio)',
    asksServer: true,
    load: async () => (await import('./mcp/mcp-command.js')).addMcp,
  },
  {
    name: 'doctor',
    description: 'say what works between this machine and the server, and what to do about what does not',
    asksServer: true,
    load: async () => (await import('./doctor/doctor-command.js')).addDoctor,
  },
];

export const findCommand = (name: string | undefined): CommandEntry | undefined =>
  COMMANDS.find((entry) => entry.name === name);

export function findClientCommand(name: string | undefined): ClientCommandEntry | undefined {
  const entry = findCommand(name);
  return entry?.asksServer ? entry : undefined;
}
