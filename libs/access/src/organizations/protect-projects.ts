import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ProjectProtection } from '@spandrel/storage';
import { projectProtected } from '../answers.js';
import { ProjectStore } from './project.store.js';

/** Shows the features that delete much at once which projects are protected (docs/spec/projects.md#protected-projects). */
@Injectable()
export class ProtectProjects implements OnModuleInit {
  constructor(
    private readonly protection: ProjectProtection,
    private readonly projects: ProjectStore,
  ) {}

  onModuleInit(): void {
    this.protection.decideBy(async (tx, { projectId }) => {
      if (await this.projects.isProtected(tx, projectId)) throw projectProtected();
    });
  }
}
