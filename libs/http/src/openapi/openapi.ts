import type { ModulesContainer } from '@nestjs/core';
import type { Feature } from '@spandrel/kernel';
import { buildDocument } from './build-document.js';
import { findRoutes, type RouteFacts } from './find-routes.js';
import type { OpenApiDocument } from './openapi-document.js';

/** The description of this app, made once, when it is first asked for. */
export class OpenApi {
  private found: readonly RouteFacts[] | undefined;
  private made: OpenApiDocument | undefined;
  private text: Buffer | undefined;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly features: readonly Feature[],
    private readonly authenticated: boolean,
  ) {}

  get routes(): readonly RouteFacts[] {
    return (this.found ??= findRoutes(this.modules));
  }

  get document(): OpenApiDocument {
    return (this.made ??= buildDocument({
      routes: this.routes,
      features: this.features,
      authenticated: this.authenticated,
    }));
  }

  get json(): Buffer {
    return (this.text ??= Buffer.from(JSON.stringify(this.document)));
  }
}
