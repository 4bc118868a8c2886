import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import type { MaskedField } from '@spandrel/contract';
import { LOGGER, METRICS, PLUGINS, type Logger, type PluginRegistry, type Scope } from '@spandrel/kernel';
import { BoundedMasking } from './bounded/bounded-masking.js';
import { LoopTurn } from './bounded/loop-turn.js';
import type { MaskedText } from './bounded/mask-text.thread.js';
import { MaskingThreads } from './bounded/masking-threads.js';
import { FailedTexts } from './engine/failed-texts.js';
import { Masking } from './engine/masking.js';
import { hashesOf, maskerEntries, type MaskingRecipe } from './engine/masking-recipe.js';
import { FreshFacts } from './fresh-facts.js';
import { HashKeys } from './hash-keys.js';
import { hashes, rulesOf } from './masking-resource.js';
import type { MaskingRulesRow } from './masking-rules.entity.js';
import { MaskingRulesStore } from './masking-rules.store.js';

/** How long rules are good for, so that a change holds on every server within a second. */
const SHOWN_MS = 800;

/** The rules of each project, remembered for less than a second (docs/spec/masking.md#how-fast-a-change-holds). */
@Injectable()
export class ProjectMasking implements OnModuleDestroy {
  private readonly facts: FreshFacts<BoundedMasking | null>;
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
    this.facts = new FreshFacts((projectId) => this.read(projectId), SHOWN_MS);
  }

  /**
   * The rules of a project; `null`: it has none. At once where they are remembered.
   * @throws Unavailable when the database does not answer: nothing may be stored then.
   */
  of({ projectId }: Scope): BoundedMasking | null | Promise<BoundedMasking | null> {
    return this.facts.get(projectId);
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
