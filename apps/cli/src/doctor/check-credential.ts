import { SpandrelError, type Api } from '@spandrel/sdk';
import { failed, ok, warn, type Check } from './check.js';
import type { ServerFacts } from './check-server.js';

/** What a credential is (docs/spec/access.md#what-a-credential-is). */
interface CredentialFacts {
  kind: string;
  project_id: string | null;
  scopes: string[];
  expires_at: string | null;
}

/** A credential that ends sooner is told of. */
const SOON_MS = 7 * 86_400_000;
const MAKE_ONE = 'make one: spandrel admin key create --project <id> --scopes read,write';

/** The outcome: scopes that the credential has, all of them in local mode. */
export interface CheckedCredential {
  check: Check;
  /** `undefined` when there is no credential that the server takes. */
  scopes: ReadonlySet<string> | undefined;
}

/** Asks the server what it makes of the key. @throws SpandrelError when the server cannot be reached any more. */
export async function checkCredential(
  api: Api,
  { mode }: ServerFacts,
  key: string | undefined,
): Promise<CheckedCredential> {
  if (mode === 'local') {
    return { check: ok('credential', 'local mode needs none'), scopes: new Set(['read', 'write', 'ingest']) };
  }
  if (key === undefined) {
    const message = 'no key was given, and cloud mode needs one';
    return { check: failed('credential', message, `SPANDREL_API_KEY or --key; ${MAKE_ONE}`), scopes: undefined };
  }
  try {
    const credential = (await api.getCredential({ retry: false })) as CredentialFacts;
    return { check: checkOf(credential), scopes: new Set(credential.scopes) };
  } catch (error) {
    if (!(error instanceof SpandrelError) || error.status < 400) throw error;
    const message = `the server does not take the key: ${error.code} (${error.detail})`;
    const remedy = error.status === 401 ? `it is mistyped, was revoked or has ended; ${MAKE_ONE}` : 'try again later';
    return { check: failed('credential', message, remedy), scopes: undefined };
  }
}

function checkOf({ kind, project_id: project, scopes, expires_at: end }: CredentialFacts): Check {
  const can = `${kind} with ${scopes.join(', ') || 'no scope'}`;
  const message = `${can}${project === null ? '' : ` for project ${project}`}${end === null ? '' : `, until ${end}`}`;
  if (project === null) {
    return failed(
      'credential',
      `${message}: it belongs to no project`,
      `the operator's tokens record nothing; ${MAKE_ONE}`,
    );
  }
  const lacks = lackOf(new Set(scopes));
  if (lacks) return warn('credential', `${message}: ${lacks}`, MAKE_ONE);
  if (end !== null && Date.parse(end) - Date.now() < SOON_MS) {
    return warn('credential', `${message}: it ends soon`, 'make the next one before it does');
  }
  return ok('credential', message);
}

function lackOf(scopes: ReadonlySet<string>): string | undefined {
  if (!scopes.has('read')) return 'it cannot read, which most commands do';
  if (!scopes.has('write') && !scopes.has('ingest')) return 'it cannot record, start runs or import';
  return undefined;
}
