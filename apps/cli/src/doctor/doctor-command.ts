import { clientCommand, type ClientCall, type ClientProgram } from '../client/client-command.js';
import { readServer } from '../client/server.js';
import { ExitCode } from '../client/exit-codes.js';
import { oneLine } from '../client/output/text.js';
import type { Output } from '../client/output/output.js';
import type { Style } from '../client/output/table.js';
import { runChecks, type Check, type DoctorOptions } from './checks.js';

export function addDoctor(client: ClientProgram, description: string): void {
  const doctor = client.program
    .command('doctor')
    .description(description)
    .option('--write', 'record a span too, read it back and remove it')
    .option('--gateway-url <url>', 'the gateway; SPANDREL_GATEWAY_URL, else what the server says, when left out');
  clientCommand<DoctorOptions, []>(client, doctor, examine);
}

async function examine({ api, out, io, options }: ClientCall<DoctorOptions>): Promise<ExitCode> {
  const report = async (check: Check): Promise<void> => {
    if (!out.json) await out.lines(checkLines(check, out));
  };
  const { checks, isRefused } = await runChecks(api, readServer(options, io.env), options, io, report);
  const hasFailed = checks.some(({ status }) => status === 'fail');
  if (out.json) await out.document({ ok: !hasFailed, checks });
  else if (options.write !== true && !isRefused) out.note('with --write it also records a span and reads it back');
  if (isRefused) return ExitCode.refused;
  return hasFailed ? ExitCode.unforeseen : ExitCode.done;
}

const STYLES: Readonly<Record<Check['status'], Style>> = { ok: 'green', warn: 'yellow', fail: 'red' };

const checkLines = ({ name, status, message, remedy }: Check, { paint }: Output): string[] => [
  `${paint(status.padEnd(4), STYLES[status])}  ${name.padEnd(10)}  ${oneLine(message)}`,
  ...(remedy === undefined ? [] : [`${' '.repeat(18)}${paint(oneLine(remedy), 'dim')}`]),
];
