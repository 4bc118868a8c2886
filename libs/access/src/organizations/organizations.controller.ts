import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import {
  createOrganizationSchema,
  createProjectSchema,
  listAccessSchema,
  organizationListSchema,
  organizationSchema,
  projectListSchema,
  projectSchema,
  updateOrganizationSchema,
  type CreateOrganization,
  type CreateProject,
  type ListAccess,
  type UpdateOrganization,
  updateProjectSchema,
  type UpdateProject,
} from '@spandrel/contract';
import { Operation, listOf } from '@spandrel/http';
import { CurrentActor, type Actor } from './actor.js';
import { OrganizationId, ProjectId } from '../answers.js';
import { BeginRemoval } from '../removal/begin-removal.js';
import { Organizations } from './organizations.js';
import { Projects } from './projects.js';

/** `/api/orgs` (docs/spec/access.md#organizations-and-projects). */
@Controller('api/orgs')
export class OrganizationsController {
  constructor(
    private readonly organizations: Organizations,
    private readonly projects: Projects,
    private readonly removal: BeginRemoval,
  ) {}

  @Post()
  @Operation({
    access: 'admin',
    summary: 'Make an organization',
    description: 'For the operator of the service.',
    audited: ['org.created'],
    answer: organizationSchema,
  })
  createOrganization(
    @CurrentActor() actor: Actor,
    @Body({ schema: createOrganizationSchema }) body: CreateOrganization,
  ) {
    return this.organizations.create(actor, body);
  }

  @Get()
  @Operation({
    access: 'admin',
    summary: 'Organizations, newest first',
    description: 'The own one; the operator of the service sees all.',
    answer: organizationListSchema,
  })
  async listOrganizations(@CurrentActor() actor: Actor, @Query({ schema: listAccessSchema }) query: ListAccess) {
    return listOf('orgs', await this.organizations.list(actor, query));
  }

  @Get(':id')
  @Operation({
    access: 'admin',
    summary: 'An organization, and how far its deletion is',
    description: 'The own one; the operator of the service sees all.',
    answer: organizationSchema,
  })
  getOrganization(@CurrentActor() actor: Actor, @OrganizationId() id: string) {
    return this.organizations.find(actor, id);
  }

  @Patch(':id')
  @Operation({
    access: 'admin',
    summary: 'Change an organization',
    description: 'Its administrators change its name, the operator of the service also plan, limit and retention.',
    audited: ['org.updated'],
    answer: organizationSchema,
    problems: ['being_deleted'],
  })
  updateOrganization(
    @CurrentActor() actor: Actor,
    @OrganizationId() id: string,
    @Body({ schema: updateOrganizationSchema }) body: UpdateOrganization,
  ) {
    return this.organizations.update(actor, id, body);
  }

  @Delete(':id')
  @HttpCode(202)
  @Operation({
    access: 'admin',
    summary: 'Delete an organization with all of its projects',
    description:
      'For the operator of the service. It is out of reach at once; the rest goes in the background. Asked for again, it says how far that is.',
    audited: ['org.deletion_begun', 'project.deletion_begun'],
    answer: organizationSchema,
    problems: ['project_protected'],
  })
  deleteOrganization(@CurrentActor() actor: Actor, @OrganizationId() id: string) {
    return this.removal.ofOrganization(actor, id);
  }

  @Post(':id/projects')
  @Operation({
    access: 'admin',
    summary: 'Make a project',
    audited: ['project.created'],
    answer: projectSchema,
    problems: ['being_deleted'],
  })
  createProject(
    @CurrentActor() actor: Actor,
    @OrganizationId() id: string,
    @Body({ schema: createProjectSchema }) body: CreateProject,
  ) {
    return this.projects.create(actor, id, body);
  }

  @Get(':id/projects')
  @Operation({ access: 'admin', summary: 'Projects of an organization, oldest first', answer: projectListSchema })
  async listProjects(
    @CurrentActor() actor: Actor,
    @OrganizationId() id: string,
    @Query({ schema: listAccessSchema }) query: ListAccess,
  ) {
    return listOf('projects', await this.projects.list(actor, id, query));
  }
}

/** `/api/projects` (docs/spec/projects.md). */
@Controller('api/projects')
export class ProjectsController {
  constructor(
    private readonly projects: Projects,
    private readonly removal: BeginRemoval,
  ) {}

  @Get(':id')
  @Operation({
    access: 'admin',
    summary: 'A project of the organization, and how far its deletion is',
    answer: projectSchema,
  })
  getProject(@CurrentActor() actor: Actor, @ProjectId() id: string) {
    return this.projects.find(actor, id);
  }

  @Patch(':id')
  @Operation({
    access: 'admin',
    summary:
      'Change a project of the organization: its name, its limit, how long it keeps traces, whether it is protected',
    audited: ['project.updated'],
    answer: projectSchema,
    problems: ['being_deleted'],
  })
  updateProject(
    @CurrentActor() actor: Actor,
    @ProjectId() id: string,
    @Body({ schema: updateProjectSchema }) body: UpdateProject,
  ) {
    return this.projects.update(actor, id, body);
  }

  @Delete(':id')
  @HttpCode(202)
  @Operation({
    access: 'admin',
    summary: 'Delete a project of the organization with everything that it has',
    description:
      'It is out of reach at once; the rest goes in the background. Asked for again, it says how far that is.',
    audited: ['project.deletion_begun'],
    answer: projectSchema,
    problems: ['project_protected'],
  })
  deleteProject(@CurrentActor() actor: Actor, @ProjectId() id: string) {
    return this.removal.ofProject(actor, id);
  }
}
