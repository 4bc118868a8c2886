import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import {
  createMemberSchema,
  deletedSchema,
  listAccessSchema,
  memberListSchema,
  memberSchema,
  updateMemberSchema,
  type CreateMember,
  type ListAccess,
  type UpdateMember,
} from '@spandrel/contract';
import { Operation, listOf } from '@spandrel/http';
import { OrganizationId, MemberId } from '../answers.js';
import { CurrentActor, type Actor } from '../organizations/actor.js';
import { Members } from './members.js';

/** `/api/orgs/:id/members` (docs/spec/people.md#members). */
@Controller('api/orgs/:id/members')
export class MembersController {
  constructor(private readonly members: Members) {}

  @Post()
  @Operation({
    access: 'admin',
    summary: 'Give somebody a role in an organization or a project',
    audited: ['member.created'],
    answer: memberSchema,
    problems: ['project_not_found', 'member_exists', 'being_deleted'],
  })
  createMember(
    @CurrentActor() actor: Actor,
    @OrganizationId() id: string,
    @Body({ schema: createMemberSchema }) body: CreateMember,
  ) {
    return this.members.create(actor, id, body);
  }

  @Get()
  @Operation({ access: 'admin', summary: 'Members of an organization, oldest first', answer: memberListSchema })
  async listMembers(
    @CurrentActor() actor: Actor,
    @OrganizationId() id: string,
    @Query({ schema: listAccessSchema }) query: ListAccess,
  ) {
    return listOf('members', await this.members.list(actor, id, query));
  }

  @Patch(':member_id')
  @Operation({
    access: 'admin',
    summary: 'Give a member another role',
    audited: ['member.updated'],
    answer: memberSchema,
    problems: ['member_from_groups', 'last_owner'],
  })
  updateMember(
    @CurrentActor() actor: Actor,
    @OrganizationId() id: string,
    @MemberId() memberId: string,
    @Body({ schema: updateMemberSchema }) body: UpdateMember,
  ) {
    return this.members.update(actor, id, memberId, body);
  }

  @Delete(':member_id')
  @Operation({
    access: 'admin',
    summary: "Take a member's role away",
    audited: ['member.deleted'],
    description: 'It counts no more within a second, in browsers that are signed in too.',
    answer: deletedSchema,
    problems: ['member_from_groups', 'last_owner'],
  })
  deleteMember(@CurrentActor() actor: Actor, @OrganizationId() id: string, @MemberId() memberId: string) {
    return this.members.delete(actor, id, memberId);
  }
}
