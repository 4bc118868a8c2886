import { AsyncLocalStorage } from 'node:async_hooks';
import { userInfo } from 'node:os';

/** Who does something, for the audit log (docs/spec/audit.md#who-did-it). */
export interface ActingParty {
  /** `key:<id>`, `jwt:<sub>`, `person:<id>`, `admin`, `cli`, `service`. */
  readonly name: string;
  /** What people call it, such as the name of the key; `null` where that is not known. */
  readonly label: string | null;
}

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

/** The context of what runs now. Jobs of a group commit run in that of the one who came first: take it before. */
export const currentContext = (): RequestContext => contexts.getStore() ?? SERVICE_CONTEXT;

/** Runs something in a context; what it begins stays in it, also after it has returned. */
export const inContext = <T>(context: RequestContext, work: () => T): T => contexts.run(context, work);

/** The context of a command on this machine; its label is the account that runs it. */
export const commandContext = (): RequestContext => ({
  actor: { name: 'cli', label: accountName() },
  address: null,
  requestId: null,
});

function accountName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

/** The tenant whose data a call may touch: every store method takes it first, so that no query goes without. */
export interface Scope {
  readonly orgId: string;
  readonly projectId: string;
  /** Fires when nobody waits any more for what is read, such as a client that left: long reads are given up then. */
  readonly signal?: AbortSignal;
  /** Long reads are steps of a long work, such as a search or an export: they leave room for quick ones. */
  readonly patient?: boolean;
}

export const LOCAL_SCOPE: Scope = Object.freeze({ orgId: 'local', projectId: 'local' });

/** The scope of work that no request asks for: what is stored is keyed by project, which names its organization. */
export const projectScope = (projectId: string): Scope =>
  projectId === LOCAL_SCOPE.projectId ? LOCAL_SCOPE : { orgId: '', projectId };
