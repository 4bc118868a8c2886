import { createLogger, logLines, type Logger, type Settings } from '@spandrel/kernel';

/** The log of a command, on standard error. */
export const commandLogger = ({ core }: Settings): Logger =>
  createLogger(core.logLevel, 'cli', logLines(core.logFormat));
