import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ConnectionUnusable } from '@spandrel/connections';
import { SEARCH_MODES, type SearchMode } from '@spandrel/contract';
import { Capabilities } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { SEARCH_INDEX, type ConfiguredIndex } from './configured-index.js';
import { EmbeddingTargets, NoEmbedding } from './embedding-target.js';

/** Says in which ways a project can search: by meaning where it has a connection that makes vectors. */
@Injectable()
export class SearchCapabilities implements OnModuleInit {
  constructor(
    private readonly capabilities: Capabilities,
    @Inject(SEARCH_INDEX) private readonly configured: ConfiguredIndex | null,
    private readonly targets: EmbeddingTargets,
  ) {}

  onModuleInit(): void {
    this.capabilities.provide('search_modes', (scope) => this.modesOf(scope));
  }

  private async modesOf(scope: Scope | null): Promise<SearchMode[]> {
    if (!this.configured || !scope) return [];
    return (await this.makesVectors(scope.projectId)) ? [...SEARCH_MODES] : ['text'];
  }

  private async makesVectors(projectId: string): Promise<boolean> {
    try {
      return !((await this.targets.of(projectId)) instanceof NoEmbedding);
    } catch (error) {
      if (error instanceof ConnectionUnusable) return false;
      throw error;
    }
  }
}
