import type { AuditEntry } from '@spandrel/contract';
import { NONE } from '@spandrel/contract/browser';
import { Button } from '../../components/button.js';
import { CopyButton } from '../../components/copy-button.js';
import { Dialog } from '../../components/dialog.js';
import { formatTimeExactly } from '../../components/format/format-time.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import type { AuditSearch } from './audit-filters.js';
import { describeAction, describeActor, describeDetails, describeTarget, type ProjectNames } from './audit-words.js';
import { Row } from './section.js';
import styles from './settings-page.module.css';

interface AuditEntryDialogProps {
  entry: AuditEntry;
  projects: ProjectNames;
  /** Narrows the log down to what the entry shares with others. */
  onFilter(filter: Partial<AuditSearch>): void;
  onClose(): void;
}

/** An entry of the audit log, whole: names with the ids behind them, and the way to entries like it. */
export function AuditEntryDialog({ entry, projects, onFilter, onClose }: AuditEntryDialogProps) {
  const { times } = usePreferences();
  const project = entry.project_id === null ? null : (projects.get(entry.project_id) ?? entry.project_id);
  return (
    <Dialog
      title={describeAction(entry.action)}
      onClose={onClose}
      actions={
        <>
          <CopyButton text={JSON.stringify(entry, null, 2)}>Copy as JSON</CopyButton>
          <Button onClick={() => onFilter({ actor: entry.actor })}>All by the same</Button>
          <Button onClick={() => onFilter({ target: entry.target_id })}>All about this</Button>
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <Row name="Time">
          <time dateTime={entry.at}>{formatTimeExactly(Date.parse(entry.at), times)}</time>
        </Row>
        <Row name="By">
          <Named name={describeActor(entry)} id={entry.actor} />
        </Row>
        <Row name="What">
          <Named name={describeTarget(entry, projects)} id={entry.target_id} />
        </Row>
        <Row name="Project">
          <bdi>{project ?? NONE}</bdi>
        </Row>
        <Row name="Details">
          <bdi>{describeDetails(entry.details, projects, times) || NONE}</bdi>
        </Row>
        <Row name="From">{entry.address ?? NONE}</Row>
        <Row name="Request">{entry.request_id ?? NONE}</Row>
        <Row name="Entry">
          <code>{entry.action}</code> {entry.id}
        </Row>
      </div>
    </Dialog>
  );
}

function Named({ name, id }: { name: string; id: string }) {
  return (
    <>
      <bdi>{name}</bdi> {name !== id && <code>{id}</code>}
    </>
  );
}
