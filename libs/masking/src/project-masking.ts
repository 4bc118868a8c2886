import { randomBytes } from 'node:crypto';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import type { MaskedField } from '@spandrel/contract';
import {
  LOGGER,
  METRICS,
  PLUGINS,
  ShortMemory,
  type Logger,
  type PluginRegistry,
  type Scope,
  MASKING_SEALER,
  type Sealer,
} from '@spandrel/kernel';
import { ModuleRef } from '@nestjs/core';
import { BoundedMasking, LoopTurn, MaskingThreads } from './bounded/bounded-masking.js';
import type { MaskedText } from './bounded/mask-text.thread.js';
import { FailedTexts } from './engine/failed-texts.js';
import { Masking, hashesOf, maskerEntries, type MaskingRecipe } from './engine/masking.js';
import { hashes, rulesOf } from './masking-resource.js';
import type { MaskingRulesRow } from './masking-rules.entity.js';
import { MaskingRulesStore } from './masking-rules.store.js';

const KEY_BYTES = 32;

/** The keys of hashes, which are stored sealed (docs/spec/masking.md#the-key-of-hashes). */
@Injectable()
export class HashKeys {
  constructor(
    private readonly store: MaskingRulesStore,
    private readonly modules: ModuleRef,
  ) {}

  /**
   * The key of a project's hashes; made where the project has none yet.
   * @returns `null` when this server cannot read it, or has no secret key: values become labels then.
   * @throws Unavailable when the database does not answer.
   */
  async of({ projectId, keyId, sealedKey }: MaskingRulesRow): Promise<Buffer | null> {
    const sealer = this.sealer();
    if (!sealer) return null;
    const made = (): string => randomBytes(KEY_BYTES).toString('base64url');
    const sealed =
      keyId === '' ? await this.store.giveKey(projectId, sealer.seal(made(), projectId)) : { keyId, sealedKey };
    const key = sealed && sealer.unseal(sealed, projectId);
    return key === undefined ? null : Buffer.from(key, 'base64url');
  }

  /** Whether the project has a key that this server cannot read. */
  isUnreadable({ projectId, keyId, sealedKey }: MaskingRulesRow): boolean {
    return keyId !== '' && this.sealer()?.unseal({ keyId, sealedKey }, projectId) === undefined;
  }

  /** What has the secret key comes with a feature that a server may lack. */
  private sealer(): Sealer | undefined {
    try {
      return this.modules.get<Sealer>(MASKING_SEALER, { strict: false });
    } catch {
      return undefined;
    }
  }
}

/** How long rules are good for, so that a change holds on every server within a second. */
const SHOWN_MS = 800;
const PROJECTS_MAX = 10_000;

/** The rules of each project, remembered for less than a second (docs/spec/masking.md#how-fast-a-change-holds). */
@Injectable()
export class ProjectMasking implements OnModuleDestroy {
  private readonly facts = new ShortMemory<BoundedMasking | null>(SHOWN_MS, PROJECTS_MAX);
  private readonly failed: FailedTexts;
  /** What was made of a row, so that rules which stay are not made again. */
  private readonly made = new Map<string, { row: MaskingRulesRow; masking: BoundedMasking | null }>();
  private readonly threads: MaskingThreads;
  private readonly turn = new LoopTurn();

  constructor(
    private readonly store: MaskingRulesStore,
    private readonly keys: HashKeys,
    @Inject(PLUGINS) private readonly plugins: PluginRegistry,
    @Inject(LOGGER) logger: Logger,
    @Inject(METRICS) registry: Registry,
  ) {
    const texts = new Counter({
      name: 'spandrel_masking_failed_texts_total',
      help: 'Texts masked as a whole because a masker failed, by masker.',
      labelNames: ['masker'] as const,
      registers: [registry],
    });
    // From 0, so that an alert sees the first one.
    for (const { name: masker } of plugins.maskers) texts.inc({ masker }, 0);
    this.failed = new FailedTexts(logger, (masker) => texts.inc({ masker }));
    this.threads = new MaskingThreads(maskerEntries(plugins.maskers));
  }

  /**
   * The rules of a project; `null`: it has none. At once where they are remembered.
   * @throws Unavailable when the database does not answer: nothing may be stored then.
   */
  of({ projectId }: Scope): BoundedMasking | null | Promise<BoundedMasking | null> {
    return this.facts.get(projectId, () => this.read(projectId));
  }

  /** What rules may put in the place of values: labels of maskers, and those that the project gave. */
  async labels({ projectId }: Scope): Promise<ReadonlySet<string>> {
    const given = rulesOf(await this.store.find(projectId)).flatMap(({ label }) => label ?? []);
    return new Set(['redacted', 'masked', ...this.plugins.maskers.map(({ extension }) => extension.label), ...given]);
  }

  /** A project's rules have changed here. */
  changed(projectId: string): void {
    this.made.delete(projectId);
    this.facts.forget(projectId);
  }

  /** Masks a text by rules that need not be those of its project; never rejects. */
  try(projectId: string, recipe: MaskingRecipe, field: MaskedField, text: string): Promise<MaskedText> {
    return this.threads.mask(projectId, { recipe, field, text });
  }

  async onModuleDestroy(): Promise<void> {
    await this.threads.close();
  }

  private async read(projectId: string): Promise<BoundedMasking | null> {
    const row = await this.store.find(projectId);
    const made = this.made.get(projectId);
    if (!row) {
      this.made.delete(projectId);
      return null;
    }
    if (made?.row.rules === row.rules && made.row.sealedKey === row.sealedKey) return made.masking;
    const masking = await this.maskingOf(row);
    this.made.set(projectId, { row, masking });
    return masking;
  }

  private async maskingOf(row: MaskingRulesRow): Promise<BoundedMasking | null> {
    const { projectId } = row;
    const rules = rulesOf(row);
    if (rules.length === 0) return null;
    const key = hashes(rules) ? await this.keys.of(row) : null;
    const recipe: MaskingRecipe = { rules, hashKey: key && { kind: 'project', key: key.toString('base64url') } };
    const onFailure = (masker: string): void => this.failed.note(masker);
    const masking = await Masking.prepared(rules, this.plugins.maskers, { hashes: hashesOf(recipe), onFailure });
    return new BoundedMasking({ projectId, recipe, masking, threads: this.threads, turn: this.turn, onFailure });
  }
}
