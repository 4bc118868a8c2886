import type { ClientProgram } from './client-command.js';

/** A command that asks a server over HTTP. */
export interface ClientCommandEntry {
  /** The first word behind `spandrel`. */
  name: string;
  description: string;
  /**
   * Prepares a process for code of the user's, which the command loads and which may leave something open: a process that was
   * prepared ends with the command.
   */
  prepareProcess?(): Promise<void>;
  /** Loads its code, which other commands do not pay for. @returns what puts it below the program. */
  load(): Promise<(client: ClientProgram, description: string) => void>;
}

/** All of them, in the order in which help names them. */
export const CLIENT_COMMANDS: readonly ClientCommandEntry[] = [
  {
    name: 'traces',
    description: 'list traces, show one, follow what is recorded',
    load: async () => (await import('./traces/traces-command.js')).addTraces,
  },
  {
    name: 'spans',
    description: 'list spans of all traces',
    load: async () => (await import('./spans/spans-command.js')).addSpans,
  },
  {
    name: 'sessions',
    description: 'list sessions',
    load: async () => (await import('./sessions/sessions-command.js')).addSessions,
  },
  {
    name: 'stats',
    description: 'show sums over what was recorded, or how they go over time',
    load: async () => (await import('./stats/stats-command.js')).addStats,
  },
  {
    name: 'datasets',
    description: 'list datasets, import a file into one, export one',
    load: async () => (await import('./datasets/datasets-command.js')).addDatasets,
  },
  {
    name: 'eval',
    description: 'run evaluations, judge them by gates, compare them',
    prepareProcess: async () => (await import('../eval/provide-sdk.js')).provideSdk(),
    load: async () => (await import('../eval/eval-command.js')).addEval,
  },
  {
    name: 'api',
    description: 'call any endpoint of the API',
    load: async () => (await import('./api/api-command.js')).addApi,
  },
  {
    name: 'mcp',
    description: 'offer the tools of a server to agents that start a process (Model Context Protocol on stdio)',
    load: async () => (await import('../mcp/mcp-command.js')).addMcp,
  },
  {
    name: 'doctor',
    description: 'say what works between this machine and the server, and what to do about what does not',
    load: async () => (await import('../doctor/doctor-command.js')).addDoctor,
  },
];

/** @returns the entry of a command by its name. */
export const findClientCommand = (name: string | undefined): ClientCommandEntry | undefined =>
  CLIENT_COMMANDS.find((entry) => entry.name === name);
