import { Body, Controller, Param, Patch } from '@nestjs/common';
import { projectSchema, updateProjectSchema, type ProjectResource, type UpdateProject } from '@spandrel/contract';
import { Operation, PathId } from '@spandrel/kernel';
import { CurrentActor, type Actor } from './actor.js';
import { projectNotFound } from '../not-found.js';
import { Projects } from './projects.js';

/** `/api/projects` (docs/spec/projects.md). */
@Controller('api/projects')
export class ProjectsController {
  constructor(private readonly projects: Projects) {}

  @Patch(':id')
  @Operation({
    id: 'updateProject',
    access: 'admin',
    summary: 'Change a project of the organization: its name, how long it keeps traces, whether it is protected',
    audited: ['project.updated'],
    answer: projectSchema,
    problems: ['project_not_found'],
  })
  update(
    @CurrentActor() actor: Actor,
    @Param('id', new PathId(projectNotFound)) id: string,
    @Body({ schema: updateProjectSchema }) body: UpdateProject,
  ): Promise<ProjectResource> {
    return this.projects.update(actor, id, body);
  }
}
