import { SpandrelError } from '@spandrel/sdk';

/** How a command that asks the server ends (docs/cli.md): CI distinguishes a bad result from an outage by it. */
export const ExitCode = {
  /** It was done, and gates hold. */
  done: 0,
  /** Anything unforeseen, or the run failed. */
  unforeseen: 1,
  /** The command was called wrongly; nothing was sent. */
  usage: 2,
  /** No Spandrel answered. */
  unreachable: 3,
  /** The server refused; its code is printed. */
  refused: 4,
  /** A gate does not hold. */
  gate: 10,
  /** A regression; {@link ExitCode.gate} when a gate fails too. */
  regression: 11,
  /** The run was stopped by its cost cap, or cancelled. */
  stopped: 12,
  /** Ctrl-C, or a signal of a service manager. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** Ends a command with a sentence for people and an exit code. */
export class CommandFailure extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = ExitCode.unforeseen,
  ) {
    super(message);
  }
}

/** The command was called wrongly. Thrown before anything is sent. */
export class UsageFault extends CommandFailure {
  constructor(message: string) {
    super(message, ExitCode.usage);
  }
}

/** @returns what to say of an error, a line an entry, and the code to end with. */
export function fail(error: unknown): { exitCode: ExitCode; lines: readonly string[] } {
  if (error instanceof CommandFailure) return { exitCode: error.exitCode, lines: error.message.split('\n') };
  if (error instanceof SpandrelError) return describeCallFailure(error);
  const message = error instanceof Error ? error.message : String(error);
  return { exitCode: ExitCode.unforeseen, lines: message.split('\n') };
}

/** Answers of something else (a proxy without a server behind it, another program): no server was reached. */
const NOT_REACHED: ReadonlySet<string> = new Set(['unreachable', 'unexpected_answer']);

function describeCallFailure({ status, code, detail, errors, requestId }: SpandrelError): ReturnType<typeof fail> {
  if (status === 0 || NOT_REACHED.has(code)) {
    const advice = 'is Spandrel running there? --url or SPANDREL_API_URL says where; spandrel doctor looks closer';
    return { exitCode: ExitCode.unreachable, lines: [detail, advice] };
  }
  // The detail of a validation repeats the first fault; all of them stand below.
  const faults = errors.length > 1 ? errors.map(({ path, message }) => `  ${path}: ${message}`) : [];
  const request = requestId === undefined || status < 500 ? '' : `; request ${requestId}`;
  const remedy = REMEDIES[code];
  return {
    exitCode: ExitCode.refused,
    lines: [`${code} (${status}${request}): ${detail}`, ...faults, ...(remedy === undefined ? [] : [remedy])],
  };
}

const REMEDIES: Readonly<Record<string, string>> = {
  unauthenticated: 'give a key of the project with --key or SPANDREL_API_KEY',
  insufficient_scope: 'spandrel doctor shows the scopes of the key',
};
