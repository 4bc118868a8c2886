import { Injectable } from '@nestjs/common';
import { Connections, type OpenConnection } from '@spandrel/connections';
import { projectScope } from '@spandrel/kernel';
import type { EmbeddingCalls } from '@spandrel/plugin-api';
import { SearchSettings } from './search.settings.js';

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

/**
 * Finds the provider connection that a project has for embeddings (config `search.embedding`;
 * docs/spec/search.md#vectors).
 */
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
