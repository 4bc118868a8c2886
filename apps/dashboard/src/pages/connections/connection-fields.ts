import type { ConnectionResource, CreateConnection, ProviderCapability, UpdateConnection } from '@spandrel/contract';

/** What the dialog of a connection holds, apart from the key, which stays in its field. */
export interface ConnectionFields {
  name: string;
  provider: string;
  baseUrl: string;
  defaultModel: string;
}

/** What the dialog begins with. */
export function fieldsOf(
  connection: ConnectionResource | null,
  providers: readonly ProviderCapability[],
): ConnectionFields {
  return {
    name: connection?.name ?? '',
    provider: connection?.provider ?? providers[0]?.name ?? '',
    baseUrl: connection?.base_url ?? '',
    defaultModel: connection?.default_model ?? '',
  };
}

/** Whether a key must be given. @param before `null` for a new one. @param provider `undefined` where it is unknown. */
export function keyRule(
  before: ConnectionResource | null,
  fields: ConnectionFields,
  provider: ProviderCapability | undefined,
): { isRequired: boolean; hint: string | null } {
  const needsKey = provider?.needs_key ?? false;
  if (before === null)
    return { isRequired: needsKey, hint: needsKey ? null : 'Leave empty if the provider needs none.' };
  if (leadsElsewhere(before, fields)) {
    return { isRequired: needsKey, hint: 'The stored key is not sent to another server. Enter the key again.' };
  }
  return { isRequired: false, hint: 'Leave empty to keep the stored key.' };
}

/** Whether a changed connection leads to another server, to which the stored key is not sent. */
function leadsElsewhere(before: ConnectionResource, { provider, baseUrl }: ConnectionFields): boolean {
  return before.provider !== provider || originOf(before.base_url ?? '') !== originOf(baseUrl.trim());
}

const originOf = (url: string): string => URL.parse(url)?.origin ?? url;

/** The body that makes a connection. */
export function creationOf(fields: ConnectionFields, key: string): CreateConnection {
  return { ...membersOf(fields), api_key: key };
}

/** The body that changes a connection; without a key the stored one stays, unless it leads to another server now. */
export function changeOf(before: ConnectionResource, fields: ConnectionFields, key: string): UpdateConnection {
  return { ...membersOf(fields), ...((key !== '' || leadsElsewhere(before, fields)) && { api_key: key }) };
}

function membersOf({ name, provider, baseUrl, defaultModel }: ConnectionFields) {
  return { name: name.trim(), provider, base_url: baseUrl.trim() || null, default_model: defaultModel.trim() || null };
}
