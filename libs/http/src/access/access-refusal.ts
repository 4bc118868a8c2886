import { isGranted, isOperators, type AccessRule } from './access-rule.js';
import type { Caller } from './caller.js';

/**
 * Why a caller may not call a route, in a sentence; `undefined` for one who may.
 * @param access what the route asks for of those who show a credential.
 */
export function accessRefusal(access: Exclude<AccessRule, 'open'>, caller: Caller): string | undefined {
  const { kind, scope, permissions } = caller;
  if (access === 'caller' || access === 'anyone') {
    return kind === 'metrics_token' ? 'this credential may only read /metrics' : undefined;
  }
  if (access === 'operator') {
    const isOperator = kind === 'admin_token' || kind === 'metrics_token';
    return isOperator ? undefined : 'only the operator of the service may do this: send the admin token';
  }
  if (kind === 'admin_token' && isOperators(access)) return undefined;
  if (scope === null) return 'this credential belongs to no project; use an API key of a project';
  return isGranted(access, permissions) ? undefined : `this needs a credential with the scope ${access}`;
}
