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

const ofSettings = (
  name: string,
  description: string,
  add: keyof typeof import('./settings-commands.js'),
): CommandEntry => ({ name, description, load: async () => (await import('./settings-commands.js'))[add] });

const ofClient = (name: string, description: string, load: ClientCommandEntry['load']): CommandEntry => ({
  ...{ name, description, load },
  asksServer: true,
});

/** All of them, in the order in which help names them. */
export const COMMANDS: readonly CommandEntry[] = [
  ofSettings('serve', 'run API and gateway', 'addServe'),
  ofSettings('server', 'run the API alone', 'addServer'),
  ofSettings('gateway', 'run the recording proxy alone', 'addGateway'),
  ofSettings('backup', 'copy the database to a file, also while the server runs', 'addBackup'),
  ofSettings('secrets', 'look after the secret key that seals the keys of provider connections', 'addSecrets'),
  ofSettings('analytics', 'look after the sums that summary and time series are read from', 'addAnalytics'),
  ofSettings('read-store', 'look after the store that lists spans beside the database', 'addReadStore'),
  ofSettings('retention', 'delete what has been kept as long as plans say', 'addRetention'),
  ofSettings('demo', 'record a small example with a fake model, without any key; --remove removes it', 'addDemo'),
  {
    name: 'run',
    description: 'run a command, such as tests, with recorded calls of models',
    load: async () => (await import('./cassette/run-command.js')).addRun,
  },
  {
    name: 'admin',
    description: 'administer organizations, projects and API keys (cloud mode)',
    load: async () => (await import('./admin-command.js')).addAdmin,
  },
  ofClient(
    'traces',
    'list traces, show one, follow what is recorded',
    async () => (await import('./client/traces/traces-command.js')).addTraces,
  ),
  ofClient(
    'bundle',
    'save traces as one HTML file, which opens without a server',
    async () => (await import('./client/bundles/bundle-commands.js')).addBundle,
  ),
  ofClient(
    'open',
    'take the traces of such a file into a server',
    async () => (await import('./client/bundles/bundle-commands.js')).addOpen,
  ),
  ofClient('spans', 'list spans of all traces', async () => (await import('./client/spans/spans-command.js')).addSpans),
  ofClient(
    'sessions',
    'list sessions',
    async () => (await import('./client/sessions/sessions-command.js')).addSessions,
  ),
  ofClient(
    'scores',
    'list scores of traces, spans and sessions, add one',
    async () => (await import('./client/scores/scores-command.js')).addScores,
  ),
  ofClient(
    'stats',
    'show sums over what was recorded, or how they go over time',
    async () => (await import('./client/stats/stats-command.js')).addStats,
  ),
  ofClient(
    'prices',
    'show the prices by which costs are computed, check a table of prices, price recorded spans again',
    async () => (await import('./client/prices/prices-command.js')).addPrices,
  ),
  ofClient(
    'datasets',
    'list datasets, import a file into one, export one',
    async () => (await import('./client/datasets/datasets-command.js')).addDatasets,
  ),
  ofClient(
    'import',
    'take the export files of Langfuse, Phoenix or Opik into a server',
    async () => (await import('./client/imports/import-command.js')).addImport,
  ),
  ofClient(
    'eval',
    'run evaluations, judge them by gates, compare them',
    async () => (await import('./eval/eval-command.js')).addEval,
  ),
  ofClient(
    'replay',
    'make recorded calls again with another model or prompt, and judge them against what was recorded',
    async () => (await import('./eval/commands/replay.js')).addReplay,
  ),
  ofClient(
    'cassette',
    'show and check recorded calls of models, take off what is not used, make them of spans',
    async () => (await import('./cassette/cassette-command.js')).addCassette,
  ),
  ofClient('api', 'call any endpoint of the API', async () => (await import('./client/api/call-api.js')).addApi),
  ofClient(
    'mcp',
    'offer the tools of a server to agents that start a process (Model Context Protocol on stdio)',
    async () => (await import('./mcp/mcp-command.js')).addMcp,
  ),
  ofClient(
    'doctor',
    'say what works between this machine and the server, and what to do about what does not',
    async () => (await import('./doctor/doctor-command.js')).addDoctor,
  ),
];

export const findCommand = (name: string | undefined): CommandEntry | undefined =>
  COMMANDS.find((entry) => entry.name === name);

export function findClientCommand(name: string | undefined): ClientCommandEntry | undefined {
  const entry = findCommand(name);
  return entry?.asksServer ? entry : undefined;
}
