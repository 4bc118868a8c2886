import { api } from '../../api/api.js';
import { useMutation } from '@tanstack/react-query';
import { Button } from '../../components/button.js';
import { CopyButton } from '../../components/copy-button.js';
import { Dialog } from '../../components/dialog.js';
import { TextField } from '../../components/field.js';
import { FaultNotice } from '../../components/page-parts.js';
import { Time } from '../../components/time.js';

/** Makes a link that opens the trace without signing in. It is shown this once. */
export function ShareDialog({ traceId, onClose }: { traceId: string; onClose(): void }) {
  const { data, error, isPending, mutate } = useMutation({
    mutationFn: () => api.createShare({ body: { trace_id: traceId } }),
  });
  const link = data && location.origin + data.path;
  return (
    <Dialog
      title="Share trace"
      size="small"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{link ? 'Close' : 'Cancel'}</Button>
          {link ? (
            <CopyButton text={link}>Copy link</CopyButton>
          ) : (
            <Button variant="primary" disabled={isPending} onClick={() => mutate()}>
              Create link
            </Button>
          )}
        </>
      }
    >
      <p>
        Anyone who has the link can read this trace, and nothing else, without signing in
        {data ? (
          <>
            {' '}
            until <Time at={data.expires_at} />. Settings can revoke it.
          </>
        ) : (
          ' for 7 days.'
        )}
      </p>
      {link && <TextField label="Link" value={link} readOnly onFocus={({ target }) => target.select()} />}
      {error && <FaultNotice title="The link could not be made" error={error} />}
    </Dialog>
  );
}
