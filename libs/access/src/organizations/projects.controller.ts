import { Body, Controller, Delete, Get, HttpCode, Param, Patch } from '@nestjs/common';
import { projectSchema, updateProjectSchema, type ProjectResource, type UpdateProject } from '@spandrel/contract';
import { Operation, PathId } from '@spandrel/http';
import { CurrentActor, type Actor } from './actor.js';
import { projectNotFound } from '../answers.js';
import { BeginRemoval } from '../removal/begin-removal.js';
import { Projects } from './projects.js';

/** `/api/projects` (docs/spec/projects.md). */
@Controller('api/projects')
export class ProjectsController {
  constructor(
    private readonly projects: Projects,
    private readonly removal: BeginRemoval,
  ) {}

  @Get(':id')
  @Operation({
    id: 'getProject',
    access: 'admin',
    summary: 'A project of the organization, and how far its deletion is',
    answer: projectSchema,
    problems: ['project_not_found'],
  })
  read(@CurrentActor() actor: Actor, @Param('id', new PathId(projectNotFound)) id: string): Promise<ProjectResource> {
    return this.projects.find(actor, id);
  }

  @Patch(':id')
  @Operation({
    id: 'updateProject',
    access: 'admin',
    summary:
      'Change a project of the organization: its name, its limit, how long it keeps traces, whether it is protected',
    audited: ['project.updated'],
    answer: projectSchema,
    problems: ['project_not_found', 'being_deleted'],
  })
  update(
    @CurrentActor() actor: Actor,
    @Param('id', new PathId(projectNotFound)) id: string,
    @Body({ schema: updateProjectSchema }) body: UpdateProject,
  ): Promise<ProjectResource> {
    return this.projects.update(actor, id, body);
  }

  @Delete(':id')
  @HttpCode(202)
  @Operation({
    id: 'deleteProject',
    access: 'admin',
    summary: 'Delete a project of the organization with everything that it has',
    description:
      'It is out of reach at once; the rest goes in the background. Asked for again, it says how far that is.',
    audited: ['project.deletion_begun'],
    answer: projectSchema,
    problems: ['project_not_found', 'project_protected'],
  })
  delete(@CurrentActor() actor: Actor, @Param('id', new PathId(projectNotFound)) id: string): Promise<ProjectResource> {
    return this.removal.ofProject(actor, id);
  }
}
