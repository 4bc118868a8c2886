import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import {
  commentListSchema,
  commentSchema,
  createCommentSchema,
  deletedSchema,
  holds,
  listCommentsSchema,
  updateCommentSchema,
  type CreateComment,
  type ListComments,
  type UpdateComment,
} from '@spandrel/contract';
import { CurrentCaller, CurrentScope, Operation, PathId, type Caller, listOf, deleted } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { CurrentTeammate, type Teammate } from './author.js';
import { commentNotFound, commentResource, CommentStore } from './comment.store.js';

const CommentId = () => Param('id', new PathId(commentNotFound));

/** `/api/comments` (docs/spec/collaboration.md#comments). */
@Controller('api/comments')
export class CommentsController {
  constructor(private readonly comments: CommentStore) {}

  @Post()
  @Operation({
    ...{ access: 'review', summary: 'Comment on a trace, span, datapoint or result' },
    answer: commentSchema,
    problems: ['trace_not_found', 'span_not_found', 'dataset_not_found', 'datapoint_not_found', 'eval_run_not_found'],
  })
  async createComment(@CurrentTeammate() by: Teammate, @Body({ schema: createCommentSchema }) body: CreateComment) {
    return commentResource(await this.comments.create(by, body));
  }

  @Get()
  @Operation({ access: 'read', summary: 'Comments, oldest first', answer: commentListSchema })
  async listComments(@CurrentScope() scope: Scope, @Query({ schema: listCommentsSchema }) query: ListComments) {
    return listOf('comments', await this.comments.list(scope, query), commentResource);
  }

  @Put(':id')
  @Operation({ access: 'review', summary: "Change the text of one's own comment", answer: commentSchema })
  async updateComment(
    @CurrentTeammate() by: Teammate,
    @CommentId() id: string,
    @Body({ schema: updateCommentSchema }) { text }: UpdateComment,
  ) {
    return commentResource(await this.comments.edit(by, id, text));
  }

  @Delete(':id')
  @Operation({
    ...{ access: 'review', summary: "Delete one's own comment, as an administrator any" },
    answer: deletedSchema,
    audited: ['comment.deleted'],
  })
  async deleteComment(
    @CurrentTeammate() by: Teammate,
    @CurrentCaller() caller: Caller | undefined,
    @CommentId() id: string,
  ) {
    await this.comments.delete(by, caller !== undefined && holds(caller.permissions, 'admin'), id);
    return deleted(id);
  }
}
