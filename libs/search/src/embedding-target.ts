import { Injectable, Inject, type OnModuleInit } from '@nestjs/common';
import { Connections, type OpenConnection, ConnectionUnusable } from '@spandrel/connections';
import { projectScope, type Scope } from '@spandrel/kernel';
import type { EmbeddingCalls } from '@spandrel/plugin-api';
import { SearchSettings } from './search.settings.js';
import { SEARCH_MODES, type SearchMode } from '@spandrel/contract';
import { Capabilities } from '@spandrel/http';
import { SEARCH_INDEX, type ConfiguredIndex } from './configured-index.js';

/** What makes the vectors of a project. */
export interface EmbeddingTarget {
  connection: OpenConnection;
  calls: EmbeddingCalls;
  model: string;
  /** Connection and model: vectors of another one are not comparable. */
  key: string;
}

/** Why a project has no vectors: one sentence that says what to configure. */
export class NoEmbedding {
  constructor(readonly reason: string) {}
}

/** Finds the provider connection that a project has for embeddings (docs/spec/search.md#vectors). */
@Injectable()
export class EmbeddingTargets {
  constructor(
    private readonly connections: Connections,
    private readonly settings: SearchSettings,
  ) {}

  /** @throws ConnectionUnusable when there is a connection that cannot be called; Unavailable. */
  async of(projectId: string): Promise<EmbeddingTarget | NoEmbedding> {
    const scope = projectScope(projectId);
    const { embeddingConnection: name, embeddingModel: configured } = this.settings;
    const found = await this.connections.findNamed(scope, name);
    const quoted = JSON.stringify(name);
    if (!found) {
      return new NoEmbedding(
        `vectors need a provider connection named ${quoted} in this project (config search.embedding.connection): POST /api/provider-connections`,
      );
    }
    const model = configured ?? found.defaultModel;
    if (model === null) {
      return new NoEmbedding(
        `vectors need a model: give the connection ${quoted} a default_model, or set search.embedding.model`,
      );
    }
    const connection = await this.connections.open(scope, found.id);
    const { embeddings: calls } = connection.provider;
    if (!calls) {
      return new NoEmbedding(
        `the provider ${connection.providerName} of the connection ${quoted} makes no embeddings; openai, ollama and custom do`,
      );
    }
    return { connection, calls, model, key: `${found.id} ${model}` };
  }
}

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
