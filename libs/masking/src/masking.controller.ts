import { Body, Controller, Get, HttpCode, Inject, Param, Post, Put, Injectable } from '@nestjs/common';
import {
  holds,
  maskingPreviewSchema,
  maskingSchema,
  previewMaskingSchema,
  putMaskingSchema,
  recordingMaskingSchema,
  type PreviewMasking,
  type PutMasking,
} from '@spandrel/contract';
import { CurrentCaller, CurrentScope, Operation, PathId, type Caller } from '@spandrel/http';
import {
  DomainError,
  PLUGINS,
  type PluginRegistry,
  type Scope,
  LOCAL_SCOPE,
  NotFound,
  PROJECT_DIRECTORY,
  type ProjectDirectory,
} from '@spandrel/kernel';
import { ModuleRef } from '@nestjs/core';
import { ChangeMasking, PreviewRules } from './change-masking.js';
import { ProjectHashes } from './engine/value-hashes.js';
import { HashKeys } from './project-masking.js';
import { hashes, maskingResource, recordingMasking, rulesOf } from './masking-resource.js';
import { MaskingRulesStore } from './masking-rules.store.js';

/** Finds the project of a request about masking, within what its caller may see. */
@Injectable()
export class MaskedProject {
  constructor(private readonly modules: ModuleRef) {}

  /**
   * The project that a caller reads: the caller's own.
   * @throws NotFound `project_not_found` for any other.
   */
  own(scope: Scope, id: string): Scope {
    if (id !== scope.projectId) throw projectNotFound();
    return scope;
  }

  /**
   * The project whose rules a caller reads: the caller's own, and each that the caller administers.
   * @param caller `undefined` in local mode; has `read` or `admin`, or is the operator.
   * @throws NotFound `project_not_found`
   */
  async readable(caller: Caller | undefined, id: string): Promise<Scope> {
    if (caller?.scope && (caller.scope.projectId === id || !holds(caller.permissions, 'admin')))
      return this.own(caller.scope, id);
    return this.administered(caller, id);
  }

  /**
   * The project that a caller administers: one of the caller's organization, any for the operator.
   * @param caller `undefined` in local mode.
   * @throws NotFound `project_not_found`
   */
  async administered(caller: Caller | undefined, id: string): Promise<Scope> {
    if (caller === undefined) return this.own(LOCAL_SCOPE, id);
    const orgId = await this.modules.get<ProjectDirectory>(PROJECT_DIRECTORY, { strict: false }).organizationOf(id);
    if (orgId === undefined || (caller.scope !== null && caller.scope.orgId !== orgId)) throw projectNotFound();
    return { orgId, projectId: id };
  }
}

const projectNotFound = (): NotFound => new NotFound('project_not_found', 'there is no such project');

/** `/api/projects/:id/masking` and `/api/masking` (docs/spec/masking.md). */
@Controller('api')
export class MaskingController {
  constructor(
    private readonly projects: MaskedProject,
    private readonly store: MaskingRulesStore,
    private readonly changes: ChangeMasking,
    private readonly previews: PreviewRules,
    private readonly keys: HashKeys,
    @Inject(PLUGINS) private readonly plugins: PluginRegistry,
  ) {}

  @Get('projects/:id/masking')
  @Operation({
    access: 'read or admin',
    summary: 'How the texts of a project are masked',
    description:
      'With `read` of the own project, with `admin` of every project of the organization. In local mode the id is `local`.',
    answer: maskingSchema,
  })
  async getMasking(@CurrentCaller() caller: Caller | undefined, @Param('id', new PathId(projectNotFound)) id: string) {
    const { projectId } = await this.projects.readable(caller, id);
    return maskingResource(projectId, await this.store.find(projectId), this.plugins.maskers);
  }

  @Put('projects/:id/masking')
  @Operation({
    access: 'admin',
    summary: 'Replace the masking rules of a project',
    description: 'They hold on all servers within a second, for what is recorded from then on.',
    answer: maskingSchema,
    audited: ['project.masking_changed'],
  })
  async putMasking(
    @CurrentCaller() caller: Caller | undefined,
    @Param('id', new PathId(projectNotFound)) id: string,
    @Body({ schema: putMaskingSchema }) body: PutMasking,
  ) {
    const scope = await this.projects.administered(caller, id);
    return maskingResource(id, await this.changes.execute(scope, body), this.plugins.maskers);
  }

  @Post('projects/:id/masking/preview')
  @HttpCode(200)
  @Operation({
    access: 'read',
    summary: 'What rules make of a text',
    description: 'The text is kept nowhere. `rules` in the body need the scope `admin`.',
    answer: maskingPreviewSchema,
    problems: ['insufficient_scope'],
  })
  previewMasking(
    @CurrentCaller() caller: Caller | undefined,
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(projectNotFound)) id: string,
    @Body({ schema: previewMaskingSchema }) body: PreviewMasking,
  ) {
    const { projectId } = this.projects.own(scope, id);
    if (body.rules) requireAdmin(caller);
    return this.previews.execute(projectId, body);
  }

  @Get('masking')
  @Operation({
    access: 'ingest',
    // A gateway asks in the name of its callers, and a busy organization must not lose calls by that.
    uncounted: true,
    summary: 'What recordings of this project are masked by',
    description: 'For gateways and others that mask before they send.',
    answer: recordingMaskingSchema,
  })
  async getRecordingMasking(@CurrentCaller() caller: Caller | undefined, @CurrentScope() { projectId }: Scope) {
    const row = await this.store.find(projectId);
    const rules = rulesOf(row);
    // People record nothing through a gateway.
    const key = row && hashes(rules) && caller?.kind !== 'person' ? await this.keys.of(row) : null;
    return recordingMasking(projectId, rules, key && new ProjectHashes(key).beginKey);
  }
}

/** Rules cost what their patterns ask for, so they are given by those alone who may store them. @param caller `undefined` in local mode. */
function requireAdmin(caller: Caller | undefined): void {
  if (!caller || holds(caller.permissions, 'admin')) return;
  const detail = 'rules in a preview need the scope admin; without "rules" it shows what those of the project do';
  throw new DomainError('insufficient_scope', detail);
}
