import type { MaskingResource, PutMasking } from '@spandrel/contract';
import type { AuditTrail } from '@spandrel/audit';
import type { LoadedMasker, Scope } from '@spandrel/kernel';
import type { Storage } from '@spandrel/storage';
import { ChangeMasking } from './change-masking.js';
import { maskingResource } from './masking-resource.js';
import { MaskingRulesStore } from './masking-rules.store.js';

/**
 * What the routes of masking do, for the command line; `put` throws Invalid for a rule that no masker takes.
 * @param maskers those of the settings.
 */
export function maskingCommands(storage: Storage, trail: AuditTrail, maskers: readonly LoadedMasker[]) {
  const store = new MaskingRulesStore(storage);
  // Servers look at the rules again by themselves; whether they can read a key is not known here.
  const [changes, keys] = [{ changed: () => undefined }, { isUnreadable: () => false }];
  const change = new ChangeMasking(storage, store, changes, trail, { maskers }, keys);
  return {
    read: async (projectId: string): Promise<MaskingResource> =>
      maskingResource(projectId, await store.find(projectId), maskers),
    put: async (scope: Scope, body: PutMasking): Promise<MaskingResource> =>
      maskingResource(scope.projectId, await change.execute(scope, body), maskers),
  };
}

export type MaskingCommands = ReturnType<typeof maskingCommands>;
