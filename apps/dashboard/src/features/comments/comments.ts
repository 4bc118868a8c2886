import type { CommentResource } from '@spandrel/contract';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/api.js';

/** What comments are about, and what that goes with: a trace with itself. */
export type CommentedTarget = Pick<CommentResource, 'target_type' | 'target_id' | 'parent_id'>;

const COMMENTS_MAX = 1_000;

/** The comments on something, oldest first; those on a trace and its spans are read together. */
export const commentsOn = ({ target_type, target_id, parent_id }: CommentedTarget) => {
  const isTraced = target_type === 'trace' || target_type === 'span';
  const query = { parent_id, limit: COMMENTS_MAX, ...(!isTraced && { target_type, target_id }) };
  return queryOptions({
    queryKey: ['comments', query],
    queryFn: async ({ signal }) => (await api.listComments({ query, signal })).comments,
    select: (all) => (target_type === 'span' ? all.filter((comment) => comment.target_id === target_id) : all),
  });
};
