import { objectOf } from '@spandrel/plugin-api';
import type { ConnectionReply, OpenConnection } from './open-connection.js';
import { messageOfReply } from './refusal-of.js';

/** Members of a call that some models do not take. */
export type RefusableMember = keyof typeof NAMES;

const NAMES = {
  temperature: /\btemperature\b/i,
  max_tokens: /\bmax_tokens\b/i,
  max_completion_tokens: /\bmax_completion_tokens\b/i,
};

/** How servers say that they do not know a member. */
const UNKNOWN =
  /unsupported|not support|unknown|unrecogni[sz]ed|unexpected|extra[ _](?:inputs|fields|forbidden)|not (?:permitted|allowed)|additional propert|deprecated|(?:invalid|not a valid) (?:parameter|field|argument)/i;

/** How they say that its value is wrong. */
const OF_VALUE = /too (?:large|small|high|low|long)|at (?:least|most)|maximum|minimum|greater|less than|exceed|range/i;

/** Statuses of a call that has what a server does not take. */
const REFUSALS: ReadonlySet<number> = new Set([400, 422]);

/**
 * Whether a server refused a call for one of its members. A temperature is refused by every error that names it, and by
 * `unsupported_value` of a member that is not named; a member that limits the answer's length when the server does not
 * know it, or names the one it knows, not when its value is wrong.
 */
export function refusesMember(
  connection: Pick<OpenConnection, 'provider' | 'redact'>,
  reply: ConnectionReply,
  member: RefusableMember,
): boolean {
  if (!REFUSALS.has(reply.status)) return false;
  const { param, code } = objectOf(objectOf(reply.body)['error']);
  const said = [messageOfReply(connection, reply), reply.excerpt, param, code].filter(
    (text) => typeof text === 'string',
  );
  const text = said.join('\n');
  if (member === 'temperature') return NAMES.temperature.test(text) || (code === 'unsupported_value' && !param);
  const namesBoth = NAMES.max_tokens.test(text) && NAMES.max_completion_tokens.test(text);
  return NAMES[member].test(text) && !OF_VALUE.test(text) && (namesBoth || UNKNOWN.test(text));
}
