import type { CommentResource } from '@spandrel/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { api } from '../../api/api.js';
import { Button, useMayReview } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { TextArea } from '../../components/field.js';
import { FaultNotice, QueryFault } from '../../components/page-parts.js';
import { notify, notifyError } from '../../components/notify.js';
import { Time } from '../../components/time.js';
import { traceAddress } from '../addresses.js';
import { useBrowserSession } from '../browser-session.js';
import { ShownMarkdown } from '../messages/message-view.js';
import { commentsOn, type CommentedTarget } from './comments.js';
import styles from './comments-dialog.module.css';

/** The comments on something, and the field for one more. */
export function CommentsDialog({ target, onClose }: { target: CommentedTarget; onClose(): void }) {
  const comments = useQuery(commentsOn(target));
  const mayReview = useMayReview();
  return (
    <Dialog title="Comments" onClose={onClose} actions={<Button onClick={onClose}>Done</Button>}>
      <QueryFault title="The comments could not be loaded" query={comments} />
      {comments.data?.map((comment) => (
        <Comment key={comment.id} comment={comment} isHere={comment.target_id === target.target_id} />
      ))}
      {comments.data?.length === 0 && <p>No comments yet.</p>}
      {mayReview && (
        <CommentForm
          label="Comment"
          action="Add comment"
          send={(text) => api.createComment({ body: { ...target, text } })}
        />
      )}
    </Dialog>
  );
}

/** @param isHere whether it is about what the dialog is of, and not a span of that trace. */
function Comment({ comment, isHere }: { comment: CommentResource; isHere: boolean }) {
  const { id, text, author, created_at: createdAt, edited_at: editedAt } = comment;
  const [isEdited, setIsEdited] = useState(false);
  const client = useQueryClient();
  const session = useBrowserSession();
  const mayReview = useMayReview();
  const isOwn = author.id.slice(author.id.indexOf(':') + 1) === (session?.id ?? 'local');
  const name = author.name ?? (author.id === 'local' ? 'Somebody' : author.id);
  const change = async (act: () => Promise<unknown>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      notifyError('The comment could not be changed', error as Error);
    }
    void client.invalidateQueries({ queryKey: ['comments'] });
  };
  const remove = (): void =>
    void change(async () => {
      await api.deleteComment({ path: { id } });
      const undo = () => api.createComment({ body: comment });
      notify('Deleted the comment', isOwn && <Button onClick={() => void change(undo)}>Undo</Button>);
    });
  return (
    <article aria-label={`Comment of ${name}`} className={styles.comment}>
      <p className="row quiet">
        <strong>{name}</strong> <Time at={createdAt} />
        {editedAt !== null && ' (edited)'}
        {!isHere && (
          <Link to={traceAddress(comment.parent_id)} search={{ span: comment.target_id } as never}>
            On a span
          </Link>
        )}
        <span className={styles.buttons}>
          {isOwn && mayReview && <Button onClick={() => setIsEdited(!isEdited)}>Edit</Button>}
          {((isOwn && mayReview) || session?.scopes.includes('admin')) && <Button onClick={remove}>Delete</Button>}
        </span>
      </p>
      {isEdited ? (
        <CommentForm
          label="Edited comment"
          action="Save"
          initial={text}
          send={(changed) => api.updateComment({ path: { id }, body: { text: changed } })}
          onSent={() => setIsEdited(false)}
        />
      ) : (
        <ShownMarkdown text={text} />
      )}
    </article>
  );
}

interface CommentFormProps {
  label: string;
  action: string;
  initial?: string;
  send(text: string): Promise<unknown>;
  onSent?(): void;
}

const LENGTH_MAX = 10_000;

function CommentForm({ label, action, initial = '', send, onSent }: CommentFormProps) {
  const [text, setText] = useState(initial);
  const client = useQueryClient();
  const sending = useMutation({
    mutationFn: send,
    onSuccess: (_saved, sent) => {
      // What was typed since stays.
      setText((now) => (now === sent ? initial : now));
      onSent?.();
      return client.invalidateQueries({ queryKey: ['comments'] });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    sending.mutate(text);
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextArea
        {...{ label, value: text, rows: 3, maxLength: LENGTH_MAX, dir: 'auto', hint: 'Markdown' }}
        onChange={({ target }) => setText(target.value)}
      />
      {sending.error && <FaultNotice title="The comment could not be saved" error={sending.error} />}
      <Button variant="primary" type="submit" disabled={text.trim() === '' || sending.isPending}>
        {action}
      </Button>
    </form>
  );
}
