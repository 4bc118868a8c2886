import { readExactJson } from '@spandrel/contract/browser';
import { CommandFailure, ExitCode } from './exit-codes.js';

/**
 * @returns the JSON of an answer with every digit of its numbers: what was recorded is shown as it was.
 * @throws CommandFailure, as if no server had been reached, when it is none: a proxy or another program answered.
 */
export async function readAnswer<Answer>(response: Response): Promise<Answer> {
  const text = await response.text();
  try {
    if (response.status < 300) return readExactJson(text) as Answer;
  } catch {
    // Told below.
  }
  throw notOfSpandrel(response);
}

/** @returns the failure of an answer that no Spandrel gives. */
export function notOfSpandrel({ status, headers }: Response): CommandFailure {
  const location = headers.get('location');
  const said =
    location === null ? `HTTP ${status}, ${headers.get('content-type') ?? 'no type'}` : `a redirect to ${location}`;
  return new CommandFailure(
    `what answers is not Spandrel: ${said}; --url or SPANDREL_API_URL says where it is`,
    ExitCode.unreachable,
  );
}
