import type { Storage } from '@spandrel/storage';
import { ChainWalkStore } from './chain/chain-walk.store.js';
import { VerifyChains } from './chain/verify-chains.js';
import { AuditLog } from './reading/audit-log.js';
import { AuditTrail } from './trail/audit-trail.js';

/** The audit log of a database, for the command line of cloud mode. */
export function auditCommands(storage: Storage) {
  const trail = new AuditTrail({ mode: 'cloud' });
  const chains = new ChainWalkStore(storage);
  return { trail, chains, log: new AuditLog(storage, trail), verify: new VerifyChains(chains) };
}
