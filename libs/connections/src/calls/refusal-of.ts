import { objectOf } from '@spandrel/plugin-api';
import type { ConnectionReply, OpenConnection } from './open-connection.js';

type Refused = Pick<OpenConnection, 'id' | 'name' | 'providerName' | 'provider' | 'target' | 'server' | 'redact'>;

const SAID_LENGTH_MAX = 1_000;

/** Whether the base of a provider's own SDK ends in `/v1`. */
const ENDS_IN_V1: Readonly<Record<string, boolean>> = { openai: true, custom: true, anthropic: false, ollama: false };

/** Says why a server refused a call, and what to try; it holds no key (docs/spec/connections.md#errors-of-calls). */
export function refusalOf(connection: Refused, reply: ConnectionReply, model?: string): string {
  const said = messageOfReply(connection, reply);
  const advice = adviceFor(connection, reply.status, said, model);
  const status = `HTTP ${reply.status} from ${connection.server}`;
  return `${status}${said === '' ? '' : `: ${said}`}${advice && ` (${advice})`}`.toWellFormed();
}

/** The provider's own message, or what else the answer begins with. A plugin that throws is taken to find none. */
function messageOfReply(
  connection: Pick<OpenConnection, 'provider' | 'redact'>,
  { body, excerpt }: ConnectionReply,
): string {
  let message: unknown;
  try {
    message = body === undefined ? undefined : connection.provider.errorMessage(body);
  } catch {
    // Only the plugin's author can mend it; the caller wants to know what the server said.
  }
  return typeof message === 'string' ? connection.redact(message).slice(0, SAID_LENGTH_MAX) : excerpt;
}

function adviceFor(connection: Refused, status: number, said: string, model: string | undefined): string {
  const { id, name, target } = connection;
  if (status === 401 || status === 403) {
    const named = `the connection ${JSON.stringify(name)}`;
    return target.apiKey === '' ? `${named} has no api_key` : `check the api_key of ${named}`;
  }
  const isAboutModel = (model !== undefined && said.includes(model)) || /\bmodel\b/i.test(said);
  if (status === 404 && isAboutModel) {
    return `check the model's name; POST /api/provider-connections/${id}/test lists those that the server has`;
  }
  if (status === 404 || status === 405) return adviceOnBase(connection);
  if (status === 429) return 'wait, lower evals.concurrency, or see to the quota of the account';
  if (status >= 300 && status <= 399) return 'redirects are not followed: give base_url as the address it leads to';
  return '';
}

function adviceOnBase({ providerName, target }: Refused): string {
  const base = URL.parse(target.baseUrl ?? '');
  const wantsV1 = ENDS_IN_V1[providerName];
  if (base === null || wantsV1 === undefined) return 'check base_url: the server has nothing at this path';
  const hasV1 = /\/v1\/*$/.test(base.pathname);
  if (wantsV1 && !hasV1) return `base_url of the provider ${providerName} mostly ends in /v1, and this one does not`;
  if (!wantsV1 && hasV1) return `base_url of the provider ${providerName} is without the /v1 at its end`;
  return `is base_url the address of an API in the format of ${providerName}?`;
}

/** Members of a call that some models do not take. */
type RefusableMember = keyof typeof NAMES;

const NAMES = {
  temperature: /\btemperature\b/i,
  max_tokens: /\bmax_tokens\b/i,
  max_completion_tokens: /\bmax_completion_tokens\b/i,
};

const UNKNOWN =
  /unsupported|not support|unknown|unrecogni[sz]ed|unexpected|extra[ _](?:inputs|fields|forbidden)|not (?:permitted|allowed)|additional propert|deprecated|(?:invalid|not a valid) (?:parameter|field|argument)/i;

const OF_VALUE = /too (?:large|small|high|low|long)|at (?:least|most)|maximum|minimum|greater|less than|exceed|range/i;

/** Statuses of a call that has what a server does not take. */
const REFUSALS: ReadonlySet<number> = new Set([400, 422]);

/**
 * Whether a server refused a call for a member: a temperature by any error that names it, or `unsupported_value`; a limit when
 * the server does not know it, or names the one it knows, not when its value is wrong.
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
