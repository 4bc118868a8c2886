import { AsyncLocalStorage } from 'node:async_hooks';
import { userInfo } from 'node:os';

/** Who does something, for the audit log (docs/spec/audit.md#who-did-it). */
export interface ActingParty {
  /** `key:<id>`, `jwt:<sub>`, `person:<id>`, `admin`, `cli`, `service`. */
  readonly name: string;
  /** What people call it, such as the name of the key; `null` where that is not known. */
  readonly label: string | null;
}

/** Where an act comes from. */
export interface RequestContext {
  /** `null` for a request without a credential: anyone who finds out says so beside the act. */
  readonly actor: ActingParty | null;
  /** Address of the client; `null` for commands and the service's own work. */
  readonly address: string | null;
  /** What `X-Request-Id` of the answer shows; `null` outside requests. */
  readonly requestId: string | null;
}

/** Work that nobody asked for: retention, upkeep. */
export const SERVICE_CONTEXT: RequestContext = Object.freeze({
  actor: Object.freeze({ name: 'service', label: null }),
  address: null,
  requestId: null,
});

const contexts = new AsyncLocalStorage<RequestContext>();

/**
 * The context of what runs now: of the request, where its route declares `audited` in `@Operation`; of the command; else
 * {@link SERVICE_CONTEXT}. Jobs of a group commit run in the context of anyone who came first: take it before submitting.
 */
export const currentContext = (): RequestContext => contexts.getStore() ?? SERVICE_CONTEXT;

/** Runs something in a context; what it begins stays in it, also after it has returned. */
export const inContext = <T>(context: RequestContext, work: () => T): T => contexts.run(context, work);

/** The context of a command on this machine; its label is the account that runs it. */
export const commandContext = (): RequestContext => ({
  actor: { name: 'cli', label: accountName() },
  address: null,
  requestId: null,
});

/** @returns `null` where the account has no name, as in containers that run with any number. */
function accountName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

/**
 * The tenant whose data a call may touch. Every store method takes a scope first, so that a query without one does not
 * type-check. In local mode it is {@link LOCAL_SCOPE}; in cloud mode the `access` feature fills it in.
 */
export interface Scope {
  readonly orgId: string;
  readonly projectId: string;
}

/** The single implicit organization and project of local mode. */
export const LOCAL_SCOPE: Scope = Object.freeze({ orgId: 'local', projectId: 'local' });

/** The scope of work that no request asks for: what is stored is keyed by project, which names its organization. */
export const projectScope = (projectId: string): Scope =>
  projectId === LOCAL_SCOPE.projectId ? LOCAL_SCOPE : { orgId: '', projectId };
