import { fieldErrors } from '@spandrel/contract';
import { StartError } from '@spandrel/kernel';
import type { z } from 'zod';

/** What an administrative command was given. */
export interface AdminInput {
  /** What it is about, where it is about one thing. */
  id: string | undefined;
  /** Options by their names in camel case. */
  options: Readonly<Record<string, string | boolean>>;
  /** Settings, as for the server. */
  args: readonly string[];
}

/** What it says: a resource or a list of them, as the API has it, and the same for people. */
export interface Outcome {
  /** Absent for a command that has printed everything. */
  json?: unknown;
  lines: readonly string[];
  /** Whether what was asked about is refused: the command then ends with 1. */
  isRefused?: boolean;
}

/** @throws StartError naming each option that is not valid. */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new StartError(fieldErrors(parsed.error).map(({ path, message }) => `${optionOf(path)}: ${message}`));
}

const OPTIONS: Readonly<Record<string, string>> = { project_id: 'project' };

/** `--rate-limit` of `rate_limit`; `--scopes` of `scopes[1]`. */
export const optionOf = (path: string): string => {
  const member = path.replace(/[[.].*/, '');
  return `--${(OPTIONS[member] ?? member).replaceAll('_', '-')}`;
};
