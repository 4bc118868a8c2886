import { Injectable } from '@nestjs/common';
import type { AuditAction } from '@spandrel/contract';
import { CoreSettings, currentContext, newId, type ActingParty, type RequestContext } from '@spandrel/kernel';
import type { Storage, WriteTx } from '@spandrel/storage';
import { appendToChain, chainOf, type UnchainedEntry } from '../chain/chain-walk.store.js';

/** An act, as its feature describes it. It holds ids, names and counts: no secret and nothing of what was recorded. */
export interface AuditedAct {
  action: AuditAction;
  /** The organization it is in; `null`: the service itself. */
  orgId: string | null;
  /** The project it is in; left out where it is in none. */
  projectId?: string | null;
  targetId: string;
  targetName?: string | null;
  /** What else is worth knowing: counts, and of a change what was from what to what (`changesBetween`). */
  details?: Readonly<Record<string, unknown>>;
  /** Who did it, where the request itself does not say: somebody who signs in. */
  actor?: ActingParty;
  /** Where it came from; that of what runs now when left out. Jobs of a group commit bring theirs along. */
  context?: RequestContext;
}

const NOBODY: ActingParty = { name: 'nobody', label: null };

type GatheredEntry = Omit<UnchainedEntry, 'id' | 'at' | 'action'> & { action: AuditAction };

/** The audit log as features write it (docs/spec/audit.md), in the transaction of the act. Does nothing in local mode. */
@Injectable()
export class AuditTrail {
  private readonly isKept: boolean;
  private readonly open = new WeakMap<WriteTx, Map<string, GatheredEntry[]>>();
  private readonly listeners: ((actions: ReadonlySet<AuditAction>) => void)[] = [];

  constructor({ mode }: Pick<CoreSettings, 'mode'>) {
    this.isKept = mode === 'cloud';
  }

  /** Records an act in the transaction that does it, at its end. @throws Error for an organization without an id. */
  record(tx: WriteTx, act: AuditedAct): void {
    if (!this.isKept) return;
    // The scope of work over all projects names none (`projectScope`).
    if (act.orgId === '') throw new Error(`${act.action} was recorded without the organization that it is in`);
    let chains = this.open.get(tx);
    if (!chains) {
      const gathered = (chains = new Map<string, GatheredEntry[]>());
      this.open.set(tx, gathered);
      tx.end.lastBeforeCommit(() => append(tx, gathered));
      tx.end.afterCommit(() => this.notify(gathered));
    }
    const chain = chainOf(act.orgId);
    const gathered = chains.get(chain);
    if (gathered) gathered.push(gatherEntry(act));
    else chains.set(chain, [gatherEntry(act)]);
  }

  /** Records an act that no transaction of its own does, such as an export before it is sent. @throws Unavailable */
  async recordAlone(storage: Storage, act: AuditedAct): Promise<void> {
    const context = act.context ?? currentContext();
    if (this.isKept) await storage.write(async (tx) => this.record(tx, { ...act, context }));
  }

  /** Has `listener` called, which must be quick, when entries of this process are committed, before anybody is answered. */
  onRecorded(listener: (actions: ReadonlySet<AuditAction>) => void): void {
    this.listeners.push(listener);
  }

  private notify(chains: ReadonlyMap<string, readonly GatheredEntry[]>): void {
    const actions = new Set([...chains.values()].flatMap((entries) => entries.map(({ action }) => action)));
    for (const listener of this.listeners) listener(actions);
  }
}

/** In the order of the chains' names, as every transaction does: none waits for another that waits for it. */
async function append(tx: WriteTx, chains: ReadonlyMap<string, readonly GatheredEntry[]>): Promise<void> {
  for (const [chain, gathered] of [...chains].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const at = Date.now();
    await appendToChain(
      tx,
      chain,
      gathered.map((entry) => ({ id: newId(), at, ...entry })),
    );
  }
}

function gatherEntry({ context = currentContext(), ...act }: AuditedAct): GatheredEntry {
  const actor = act.actor ?? context.actor ?? NOBODY;
  return {
    orgId: act.orgId,
    projectId: act.projectId ?? null,
    actor: boundedText(actor.name),
    actorName: actor.label === null ? null : boundedText(actor.label),
    action: act.action,
    targetId: boundedText(act.targetId),
    targetName: act.targetName == null ? null : boundedText(act.targetName),
    address: context.address,
    requestId: context.requestId === null ? null : boundedText(context.requestId),
    details: boundedDetails(act.details ?? {}),
  };
}

/** Changes member by member, for the details of an entry; members must hold no secret. @returns `{}` without any. */
export function changesBetween(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, { from: unknown; to: unknown }> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Object.fromEntries(
    [...names]
      .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .map((name) => [name, { from: before[name] ?? null, to: after[name] ?? null }]),
  );
}

/** Characters of a name or id in an entry; a JWT's `sub` may be as long as a header. */
const TEXT_LENGTH_MAX = 512;
const DETAILS_LENGTH_MAX = 16_384;

/** A text as an entry has it: no longer than it may be, and one that both databases take. */
export function boundedText(text: string): string {
  const storable = text.replaceAll('\0', '\uFFFD').toWellFormed();
  return storable.length > TEXT_LENGTH_MAX ? `${storable.slice(0, TEXT_LENGTH_MAX - 1).toWellFormed()}…` : storable;
}

/** Details as JSON text; what is too long for an entry is named, with its length. */
export function boundedDetails(details: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(details);
  if (text.length <= DETAILS_LENGTH_MAX) return text;
  const members = Object.entries(details).map(([name, value]) => {
    const length = JSON.stringify(value)?.length ?? 0;
    return [boundedText(name), length > TEXT_LENGTH_MAX ? { left_out: length } : value];
  });
  const short = JSON.stringify(Object.fromEntries(members));
  return short.length <= DETAILS_LENGTH_MAX ? short : JSON.stringify({ left_out: text.length });
}
