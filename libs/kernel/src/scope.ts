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
